// Equal bricks of cells, one for each node, in two ways. One is nodecart (Gropp, "Using node and socket information to
// implement MPI Cartesian topologies", Parallel Computing 85, 2019). The other is the best of all bricks that divide
// the grid: it tries them all, where nodecart makes a greedy choice. Both are for nodes of one size that the cells
// fill.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mapping/problem.h"

namespace marshal::mapping {

// The brick of the paper, or nothing if the dimensions cannot take all prime factors of the node size.
std::optional<std::vector<int>> nodecart_brick(const Grid& grid, std::int32_t node_size, Ties ties = Ties::first);

MapperResult nodecart(const Problem& problem);

// The brick with the smallest Jsum among all that divide the grid.
MapperResult best_brick(const Problem& problem);

// Jsum of a grid cut into bricks of that shape, without looking at cells.
std::int64_t jsum_of_bricks(const Grid& grid, const Stencil& stencil, std::span<const int> brick);

}  // namespace marshal::mapping
