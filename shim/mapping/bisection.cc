#include "mapping/bisection.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "mapping/index.h"

namespace marshal::mapping {
namespace {

std::int64_t cells_of(std::span<const NodeShare> shares) {
  return std::accumulate(shares.begin(), shares.end(), std::int64_t{0},
                         [](std::int64_t s, const NodeShare& n) { return s + n.cells; });
}

// How many of the shares go to the low side so that both sides are as equal as possible.
std::size_t middle_of(std::span<const NodeShare> shares) {
  const std::int64_t total = cells_of(shares);
  std::int64_t low = 0;
  std::size_t best = 1;
  std::int64_t best_difference = std::numeric_limits<std::int64_t>::max();
  for (std::size_t k = 1; k < shares.size(); ++k) {
    low += shares[k - 1].cells;
    const std::int64_t difference = std::abs(total - 2 * low);
    if (difference < best_difference) {
      best_difference = difference;
      best = k;
    }
  }
  return best;
}

}  // namespace

Bisector::Bisector(const Grid& grid, const NeighbourLists& neighbours)
    : grid_(grid),
      neighbours_(neighbours),
      strides_(row_major_strides(grid)),
      side_(static_cast<std::size_t>(grid.cells()), 0) {}

std::int64_t Bisector::weight_across(std::span<const std::int32_t> low, std::span<const std::int32_t> high) {
  const std::int32_t mark = ++side_stamp_;
  for (const std::int32_t cell : high) side_[at(cell)] = mark;
  std::int64_t weight = 0;
  for (const std::int32_t cell : low)
    for (const Neighbour& n : neighbours_.of(cell)) weight += side_[at(n.cell)] == mark ? n.weight : 0;
  return weight;
}

// Puts the low_cells smallest to the front, by coordinate `first`, then `second`, then the others.
void Bisector::order_by(std::span<std::int32_t> cells, std::size_t first, std::size_t second, std::size_t low_cells) {
  keyed_.clear();
  for (const std::int32_t cell : cells) {
    const std::int64_t c1 = cell / strides_[first] % grid_.dims[first];
    const std::int64_t c2 = cell / strides_[second] % grid_.dims[second];
    keyed_.emplace_back(c1 * grid_.dims[second] + c2, cell);
  }
  if (low_cells < keyed_.size())
    std::nth_element(keyed_.begin(), keyed_.begin() + static_cast<std::ptrdiff_t>(low_cells), keyed_.end());
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = keyed_[i].second;
}

void Bisector::cut(std::span<std::int32_t> cells, std::span<const NodeShare> shares,
                   std::span<std::int32_t> part_of_cell) {
  if (cells.empty() || shares.empty()) return;
  if (shares.size() == 1) {
    for (const std::int32_t cell : cells) part_of_cell[at(cell)] = shares[0].node;
    return;
  }
  const std::size_t middle = middle_of(shares);
  const auto low_cells = static_cast<std::size_t>(cells_of(shares.first(middle)));
  const std::size_t ndims = grid_.dims.size();
  std::int64_t best = std::numeric_limits<std::int64_t>::max();
  std::size_t best_first = 0, best_second = 0;
  for (std::size_t first = 0; first < ndims; ++first)
    for (std::size_t second = 0; second < ndims; ++second) {
      if ((first == second && ndims > 1) || (grid_.dims[first] == 1 && ndims > 1)) continue;
      order_by(cells, first, second, low_cells);
      const std::int64_t weight = weight_across(cells.first(low_cells), cells.subspan(low_cells));
      if (weight < best) {
        best = weight;
        best_first = first;
        best_second = second;
      }
    }
  if (ndims > 0) order_by(cells, best_first, best_second, low_cells);
  cut(cells.first(low_cells), shares.first(middle), part_of_cell);
  cut(cells.subspan(low_cells), shares.subspan(middle), part_of_cell);
}

MapperResult bisection(const Problem& problem, const NeighbourLists& neighbours, NodeOrder order) {
  MapperResult result;
  result.node_of_cell.resize(static_cast<std::size_t>(problem.cells()));
  std::vector<std::int32_t> cells(result.node_of_cell.size());
  std::iota(cells.begin(), cells.end(), 0);
  Bisector(problem.grid, neighbours).cut(cells, node_shares(problem, order), result.node_of_cell);
  result.detail = order == NodeOrder::as_given ? "nodes as given" : "large nodes first";
  return result;
}

}  // namespace marshal::mapping
