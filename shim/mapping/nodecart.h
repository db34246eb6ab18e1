// Equal bricks of cells, one a node: the mapping of Gropp's nodecart ("Using Node Information …", "Finding a good intradims"),
// and the best of all bricks that divide the grid, found by counting instead of by a greedy choice. Nodes must be
// equal.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mapping/problem.h"

namespace marshal::mapping {

// Which dimension gets a prime factor when several remain equally long. The slides leave it open; with `first` their
// table for a 3-D grid comes out as printed, for the dimensions in the order 16x32x32.
enum class Ties { first, last };

// The brick of the slides, or nothing if the dimensions cannot take all prime factors of the node size.
std::optional<std::vector<int>> nodecart_brick(const Grid& grid, std::int32_t node_size, Ties ties = Ties::first);

MapperResult nodecart(const Problem& problem, Ties ties = Ties::first);

// The brick with the smallest Jsum among all that divide the grid.
MapperResult best_brick(const Problem& problem);

// Jsum of a grid cut into bricks of that shape, without looking at cells.
std::int64_t jsum_of_bricks(const Grid& grid, const Stencil& stencil, std::span<const int> brick);

}  // namespace marshal::mapping
