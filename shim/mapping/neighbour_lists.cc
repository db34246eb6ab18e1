#include "mapping/neighbour_lists.h"

#include <algorithm>
#include <numeric>

namespace marshal::mapping {
namespace {

std::vector<std::int32_t> all_cells(const Grid& grid) {
  std::vector<std::int32_t> cells(static_cast<std::size_t>(grid.cells()));
  std::iota(cells.begin(), cells.end(), 0);
  return cells;
}

}  // namespace

NeighbourLists::NeighbourLists(const Grid& grid, const Stencil& stencil)
    : NeighbourLists(grid, stencil, all_cells(grid)) {}

NeighbourLists::NeighbourLists(const Grid& grid, const Stencil& stencil, std::span<const std::int32_t> cells)
    : row_of_(static_cast<std::size_t>(grid.cells()), -1), begin_{0} {
  const auto strides = row_major_strides(grid);
  std::vector<int> here(grid.dims.size());
  std::vector<Neighbour> row;
  // The cell `sign` times the step away.
  const auto meet = [&](std::int32_t cell, const Step& step, int sign) {
    std::int64_t partner = 0;
    for (std::size_t d = 0; d < here.size(); ++d) {
      std::int64_t to = here[d] + static_cast<std::int64_t>(sign) * step.offset[d];
      if (grid.periodic[d]) {
        to = ((to % grid.dims[d]) + grid.dims[d]) % grid.dims[d];
      } else if (to < 0 || to >= grid.dims[d]) {
        return;
      }
      partner += to * strides[d];
    }
    if (partner != cell) row.push_back({static_cast<std::int32_t>(partner), step.weight});
  };
  for (const std::int32_t cell : cells) {
    std::int32_t& its_row = row_of_[static_cast<std::size_t>(cell)];
    if (its_row >= 0) continue;
    its_row = static_cast<std::int32_t>(begin_.size()) - 1;
    coordinates_of(grid, cell, here);
    row.clear();
    for (const Step& step : stencil.steps) {
      meet(cell, step, 1);
      meet(cell, step, -1);
    }
    std::sort(row.begin(), row.end(), [](const Neighbour& a, const Neighbour& b) { return a.cell < b.cell; });
    // Both directions of a pair, and partners met twice around a short periodic dimension, become one entry.
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0 && row[i].cell == row[i - 1].cell) {
        neighbours_.back().weight += row[i].weight;
      } else {
        neighbours_.push_back(row[i]);
      }
    }
    begin_.push_back(static_cast<std::int64_t>(neighbours_.size()));
  }
}

}  // namespace marshal::mapping
