// Other methods to order ranks, which the benchmark shows beside Marshal's. Their libraries are opened when they are
// first asked for. Each gives the node of each rank; nothing if it is not installed, cannot do it, or fails.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/neighbour_lists.h"

namespace marshal::tools {

// METIS_PartGraphRecursive with the capacities as target weights (Karypis, Kumar, "A Fast and High Quality Multilevel
// Scheme for Partitioning Irregular Graphs", SIAM J. Sci. Comput. 20, 1998). Sizes of nodes are near the capacities,
// not exact. Not thread safe.
std::vector<std::int32_t> metis_partition(const mapping::NeighbourLists& neighbours,
                                          std::span<const std::int32_t> capacity);

// TreeMatch (Jeannot, Mercier, Tessier, "Process Placement in Multicore Clusters"), as Open MPI carries it in its
// component topo/treematch. Nodes must be equal and all full. In a process of its own, as it may neither end nor
// return; that gets `seconds`.
std::vector<std::int32_t> treematch(const mapping::NeighbourLists& neighbours, std::span<const std::int32_t> capacity,
                                    unsigned seconds);

}  // namespace marshal::tools
