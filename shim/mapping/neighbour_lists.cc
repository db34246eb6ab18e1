#include "mapping/neighbour_lists.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

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

NeighbourLists::NeighbourLists(std::int32_t cells, std::span<const Sent> sent)
    : row_of_(static_cast<std::size_t>(cells)), begin_(static_cast<std::size_t>(cells) + 1) {
  std::iota(row_of_.begin(), row_of_.end(), 0);
  const auto counts = [](const Sent& s) { return s.from != s.to && s.weight > 0; };
  std::int64_t left = std::int64_t{1} << 62;
  for (const Sent& s : sent) {
    if (std::min(s.from, s.to) < 0 || std::max(s.from, s.to) >= cells)
      throw std::invalid_argument("traffic with a process that does not exist");
    if (s.weight < 0 || s.weight > left) throw std::invalid_argument("traffic that is negative or too large to add up");
    left -= s.weight;
    if (!counts(s)) continue;
    ++begin_[static_cast<std::size_t>(s.from) + 1];
    ++begin_[static_cast<std::size_t>(s.to) + 1];
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  neighbours_.resize(static_cast<std::size_t>(begin_.back()));
  std::vector<std::int64_t> next(begin_.begin(), begin_.end() - 1);
  for (const Sent& s : sent) {
    if (!counts(s)) continue;
    neighbours_[static_cast<std::size_t>(next[static_cast<std::size_t>(s.from)]++)] = {s.to, s.weight};
    neighbours_[static_cast<std::size_t>(next[static_cast<std::size_t>(s.to)]++)] = {s.from, s.weight};
  }
  join_repeated();
}

// Sorts each row and adds up entries of the same cell, in place.
void NeighbourLists::join_repeated() {
  std::int64_t kept = 0;
  for (std::size_t row = 0; row + 1 < begin_.size(); ++row) {
    const auto first = neighbours_.begin() + begin_[row], last = neighbours_.begin() + begin_[row + 1];
    std::sort(first, last, [](const Neighbour& a, const Neighbour& b) { return a.cell < b.cell; });
    begin_[row] = kept;
    for (auto entry = first; entry != last; ++entry) {
      if (kept > begin_[row] && neighbours_[static_cast<std::size_t>(kept) - 1].cell == entry->cell)
        neighbours_[static_cast<std::size_t>(kept) - 1].weight += entry->weight;
      else
        neighbours_[static_cast<std::size_t>(kept++)] = *entry;
    }
  }
  begin_.back() = kept;
  neighbours_.resize(static_cast<std::size_t>(kept));
}

}  // namespace marshal::mapping
