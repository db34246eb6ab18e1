#include <array>
#include <optional>
#include <utility>

#include "mapping/box.h"
#include "mapping/mappers.h"

namespace marshal::mapping {
namespace {

struct Halver {
  std::vector<std::int64_t> steps_along, strides;
  NodeFiller filler;
  Box box;  // what is left of the grid, half by half

  // The dimension to halve: where length / steps is greatest, the first of equals; none in a single cell. A dimension
  // without steps costs nothing to cut.
  std::optional<std::size_t> widest() const {
    std::optional<std::size_t> dim;
    for (std::size_t d = 0; d < box.begin.size(); ++d) {
      if (box.length(d) < 2) continue;
      if (!dim || box.length(d) * steps_along[*dim] > box.length(*dim) * steps_along[d]) dim = d;
    }
    return dim;
  }

  void halve() {
    const auto dim = widest();
    if (!dim) return filler.path(box.first(strides), std::array{0}, false);
    const int begin = box.begin[*dim], end = box.end[*dim], middle = begin + box.length(*dim) / 2;
    box.end[*dim] = middle;
    halve();
    box.end[*dim] = end;
    box.begin[*dim] = middle;
    halve();
    box.begin[*dim] = begin;
  }
};

}  // namespace

MapperResult kdtree(const Problem& problem) {
  MapperResult result;
  result.node_of_cell.resize(static_cast<std::size_t>(problem.cells()));
  const auto shares = node_shares(problem);
  std::vector<std::int64_t> steps_along(problem.grid.dims.size());
  for (const Step& step : problem.stencil.steps)
    for (std::size_t d = 0; d < steps_along.size(); ++d) steps_along[d] += step.offset[d] != 0 ? 1 : 0;
  Halver{std::move(steps_along), row_major_strides(problem.grid), NodeFiller(shares, result.node_of_cell),
         whole_box(problem.grid)}
      .halve();
  return result;
}

}  // namespace marshal::mapping
