// Equal bricks of cells, one for each node, by the prime factors of the node size (Gropp, "Using node and socket
// information to implement MPI Cartesian topologies", Parallel Computing 85, 2019). For nodes of one size that the
// cells fill.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mapping/problem.h"

namespace marshal::mapping {

// The brick of the paper, or nothing if the dimensions cannot take all prime factors of the node size.
std::optional<std::vector<int>> nodecart_brick(const Grid& grid, std::int32_t node_size, Ties ties = Ties::first);

MapperResult nodecart(const Problem& problem);

}  // namespace marshal::mapping
