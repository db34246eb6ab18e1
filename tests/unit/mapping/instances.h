// Problems for the mapping tests: grids on nodes of given sizes, filled in the order of the ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/problem.h"

namespace marshal::mapping {

// Nodes of the given sizes, repeated as often as needed, hold the ranks one after the other.
inline std::vector<std::int32_t> blocked_nodes(std::int64_t ranks, const std::vector<int>& sizes) {
  std::vector<std::int32_t> node_of_rank;
  for (std::int32_t node = 0; static_cast<std::int64_t>(node_of_rank.size()) < ranks; ++node)
    for (int i = 0; i < sizes[static_cast<std::size_t>(node) % sizes.size()]; ++i)
      if (static_cast<std::int64_t>(node_of_rank.size()) < ranks) node_of_rank.push_back(node);
  return node_of_rank;
}

inline Problem blocked_problem(const std::vector<int>& dims, const std::vector<int>& sizes, bool periodic = false,
                               const std::vector<std::int64_t>& weights = {}) {
  const std::vector<int> periods(dims.size(), periodic ? 1 : 0);
  Grid grid = make_grid(dims, periods);
  const std::int64_t cells = grid.cells();
  return make_problem(std::move(grid), star_stencil(static_cast<int>(dims.size()), weights),
                      blocked_nodes(cells, sizes));
}

}  // namespace marshal::mapping
