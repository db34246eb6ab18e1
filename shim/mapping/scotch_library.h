// SCOTCH's multilevel recursive bisection (Pellegrini, Roman, "SCOTCH: A Software Package for Static Mapping by Dual
// Recursive Bipartitioning of Process and Architecture Graphs", HPCN Europe 1996), as a start for exchanges and
// annealing. The library is opened when it is first asked for; without it there is one start less.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mapping/neighbour_lists.h"

namespace marshal::mapping {

struct ScotchAnswer {
  std::vector<std::int32_t> node_of_cell;  // sizes of nodes are near the capacities, not exact; empty: none
  std::string why_not;
};

// Nodes of these capacities, each as near to every other. The same answer for the same version of SCOTCH. Not thread
// safe.
ScotchAnswer scotch_map(const NeighbourLists& neighbours, std::span<const std::int32_t> capacity);

}  // namespace marshal::mapping
