#include "mapping/kdtree.h"

#include "mapping/box.h"
#include "mapping/node_filler.h"

namespace marshal::mapping {
namespace {

struct Halver {
  std::vector<std::int64_t> steps_along, strides;
  NodeFiller filler;

  // True if dimension a, of `length` cells, should be halved rather than b: length_a / steps_a > length_b / steps_b. A
  // dimension without steps costs nothing to cut.
  bool rather(const Box& box, std::size_t a, std::size_t b) const {
    return box.length(a) * steps_along[b] > box.length(b) * steps_along[a];
  }

  void halve(Box& box) {
    std::size_t dim = box.begin.size();
    for (std::size_t d = 0; d < box.begin.size(); ++d) {
      if (box.length(d) < 2) continue;
      if (dim == box.begin.size() || rather(box, d, dim)) dim = d;
    }
    if (dim == box.begin.size()) {
      std::int64_t cell = 0;
      for (std::size_t d = 0; d < box.begin.size(); ++d) cell += box.begin[d] * strides[d];
      filler.cell(cell);
      return;
    }
    const int begin = box.begin[dim], end = box.end[dim], middle = begin + (end - begin) / 2;
    box.end[dim] = middle;
    halve(box);
    box.begin[dim] = middle;
    box.end[dim] = end;
    halve(box);
    box.begin[dim] = begin;
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
  Box box = whole_box(problem.grid);
  halver.halve(box);
  return result;
}

}  // namespace marshal::mapping
