// Cutting a set of cells, of any shape, into parts of exact sizes: recursively in two, across the direction in which
// the fewest and lightest pairs are cut. Serves nodes of unequal size, and the domains within one node.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/neighbour_lists.h"
#include "mapping/problem.h"

namespace marshal::mapping {

class Bisector {
 public:
  // Both must outlive the bisector.
  Bisector(const Grid& grid, const NeighbourLists& neighbours);

  // Writes part_of_cell[cell] for each of `cells` (reordered on the way), so that share k gets its number of cells. The
  // shares must add up to the number of cells. Neighbours outside the set do not count.
  void cut(std::span<std::int32_t> cells, std::span<const NodeShare> shares, std::span<std::int32_t> part_of_cell);

 private:
  std::int64_t weight_across(std::span<const std::int32_t> low, std::span<const std::int32_t> high);
  void order_by(std::span<std::int32_t> cells, std::size_t first, std::size_t second, std::size_t low_cells);

  const Grid& grid_;
  const NeighbourLists& neighbours_;
  std::vector<std::int64_t> strides_;
  std::vector<std::int32_t> side_;  // of a cell in the cut being weighed
  std::int32_t side_stamp_ = 0;
  std::vector<std::pair<std::int64_t, std::int32_t>> keyed_;
};

// All nodes of a problem, in the given order or by falling size. For grids small enough for lists of neighbours.
MapperResult bisection(const Problem& problem, const NeighbourLists& neighbours, NodeOrder order);

}  // namespace marshal::mapping
