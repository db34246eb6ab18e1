#include <algorithm>
#include <numeric>

#include "mapping/box.h"
#include "mapping/mappers.h"

namespace marshal::mapping {
namespace {

// Σ over the stencil of s_d² / |s|², in fixed point so that equal sums compare equal everywhere.
std::vector<std::int64_t> alignment_with_axes(const Grid& grid, const Stencil& stencil) {
  std::vector<std::int64_t> alignment(grid.dims.size());
  for (const Step& step : stencil.steps) {
    std::int64_t square = 0;
    for (const int o : step.offset) square += static_cast<std::int64_t>(o) * o;
    for (std::size_t d = 0; d < alignment.size(); ++d)
      alignment[d] += (static_cast<std::int64_t>(step.offset[d]) * step.offset[d] << 20) / square;
  }
  return alignment;
}

struct Splitter {
  std::int64_t node_size;  // mean, rounded
  std::vector<std::int64_t> alignment, strides;
  NodeFiller filler;

  void split(const Box& box) {
    std::vector<std::size_t> order(box.begin.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return alignment[a] != alignment[b] ? alignment[a] < alignment[b] : box.length(a) > box.length(b);
    });
    if (box.cells() > 2 * node_size) {
      for (const std::size_t dim : order) {
        const std::int64_t slice = box.cells() / box.length(dim);
        for (int left = box.length(dim) / 2; left > 0; --left) {
          if (slice * left % node_size != 0) continue;
          Box low = box, high = box;
          low.end[dim] = high.begin[dim] = box.begin[dim] + left;
          split(low);
          split(high);
          return;
        }
      }
    }
    // The dimension that should be cut last runs fastest, so that the border between two nodes crosses the first.
    filler.path(box.first(strides), walk_in_order(box.sides(), strides, order, false), false);
  }
};

}  // namespace

MapperResult hyperplane(const Problem& problem) {
  MapperResult result;
  result.node_of_cell.resize(static_cast<std::size_t>(problem.cells()));
  const auto shares = node_shares(problem);
  const auto nodes = static_cast<std::int64_t>(shares.size());
  Splitter{std::max<std::int64_t>(1, (problem.cells() + nodes / 2) / nodes),
           alignment_with_axes(problem.grid, problem.stencil), row_major_strides(problem.grid),
           NodeFiller(shares, result.node_of_cell)}
      .split(whole_box(problem.grid));
  return result;
}

}  // namespace marshal::mapping
