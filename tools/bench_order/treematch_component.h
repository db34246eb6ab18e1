// TreeMatch (Jeannot, Mercier, Tessier, "Process Placement in Multicore Clusters"), as Open MPI carries it in its
// component topo/treematch: a rival of the benchmark.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mapping/neighbour_lists.h"

namespace marshal::tools {

struct TreeMatchAnswer {
  std::vector<std::int32_t> node_of_cell;  // empty: none
  std::string why_not;
};

// Nodes must be equal and all full. In a process of its own, as it may neither end nor return; that gets `seconds`.
TreeMatchAnswer treematch(const mapping::NeighbourLists& neighbours, std::span<const std::int32_t> capacity,
                          unsigned seconds);

}  // namespace marshal::tools
