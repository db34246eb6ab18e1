#include "mapping/kdtree.h"

#include <optional>
#include <utility>

#include "mapping/box.h"
#include "mapping/node_filler.h"

namespace marshal::mapping {
namespace {

// Up to this many cells, boxes of the same sides are halved once for all.
constexpr std::int64_t most_cells_to_remember = 4096;

struct Halver {
  std::vector<std::int64_t> steps_along, strides;
  NodeFiller filler;
  Walks walks{};

  // The dimension to halve: where length / steps is greatest, the first of equals; none in a single cell. A dimension
  // without steps costs nothing to cut.
  std::optional<std::size_t> widest(const Box& box) const {
    std::optional<std::size_t> dim;
    for (std::size_t d = 0; d < box.begin.size(); ++d) {
      if (box.length(d) < 2) continue;
      if (!dim || box.length(d) * steps_along[*dim] > box.length(*dim) * steps_along[d]) dim = d;
    }
    return dim;
  }

  std::pair<Box, Box> halves(const Box& box, std::size_t dim) const {
    Box low = box, high = box;
    low.end[dim] = high.begin[dim] = box.begin[dim] + box.length(dim) / 2;
    return {low, high};
  }

  const Walks::Offsets& walk_over(const Box& box) {
    return walks.over(box.sides(), [&] {
      const auto dim = widest(box);
      if (!dim) return Walks::Offsets{0};
      const auto [low, high] = halves(box, *dim);
      Walks::Offsets walk = walk_over(low);
      const auto shift = static_cast<std::int32_t>(high.first(strides) - box.first(strides));
      for (const std::int32_t offset : walk_over(high)) walk.push_back(offset + shift);
      return walk;
    });
  }

  void halve(const Box& box) {
    if (box.cells() <= most_cells_to_remember) {
      filler.path(box.first(strides), walk_over(box), false);
      return;
    }
    const auto [low, high] = halves(box, *widest(box));
    halve(low);
    halve(high);
  }
};

}  // namespace

MapperResult kdtree(const Problem& problem) {
  MapperResult result;
  if (problem.cells() == 0) return result;
  result.node_of_cell.resize(static_cast<std::size_t>(problem.cells()));
  const auto shares = node_shares(problem);
  std::vector<std::int64_t> steps_along(problem.grid.dims.size());
  for (const Step& step : problem.stencil.steps)
    for (std::size_t d = 0; d < steps_along.size(); ++d) steps_along[d] += step.offset[d] != 0 ? 1 : 0;
  Halver halver{std::move(steps_along), row_major_strides(problem.grid), NodeFiller(shares, result.node_of_cell)};
  halver.halve(whole_box(problem.grid));
  return result;
}

}  // namespace marshal::mapping
