// A first assignment of any traffic. Nodes are filled one after the other. A node's first cell is the cell that all
// cells placed so far pull hardest. Its next cell is always the cell that the node itself pulls hardest. O(pairs · log
// pairs).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mapping/neighbour_lists.h"

namespace marshal::mapping {

// The node of each cell. The capacities add up to the number of cells or more.
std::vector<std::int32_t> grow(const NeighbourLists& neighbours, std::span<const std::int32_t> capacity);

// SCOTCH's multilevel recursive bisection (Pellegrini, Roman, "SCOTCH: A Software Package for Static Mapping by Dual
// Recursive Bipartitioning of Process and Architecture Graphs", HPCN Europe 1996), as a start for exchanges and
// annealing. The library is opened when it is first asked for; without it there is one start less.
struct ScotchAnswer {
  std::vector<std::int32_t> node_of_cell;  // sizes of nodes are near the capacities, not exact; empty: none
  std::string why_not;
};

// Nodes of these capacities, each as near to every other. The same answer for the same version of SCOTCH. Not thread
// safe.
ScotchAnswer scotch_map(const NeighbourLists& neighbours, std::span<const std::int32_t> capacity);

}  // namespace marshal::mapping
