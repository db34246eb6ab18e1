// METIS (Karypis, Kumar, "A Fast and High Quality Multilevel Scheme for Partitioning Irregular Graphs", SIAM J. Sci.
// Comput. 20, 1998), as a rival in the benchmark. The library is opened when it is first asked for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mapping/neighbour_lists.h"

namespace marshal::tools {

struct MetisAnswer {
  std::vector<std::int32_t> node_of_cell;  // sizes of nodes are near the capacities, not exact; empty: none
  std::string why_not;
};

// METIS_PartGraphRecursive with the capacities as target weights. Not thread safe.
MetisAnswer metis_partition(const mapping::NeighbourLists& neighbours, std::span<const std::int32_t> capacity);

}  // namespace marshal::tools
