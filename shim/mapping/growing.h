// A first assignment of any traffic. Nodes are filled one after the other. A node's first cell is the cell that all
// cells placed so far pull hardest. Its next cell is always the cell that the node itself pulls hardest. O(pairs · log
// pairs).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/neighbour_lists.h"

namespace marshal::mapping {

// The node of each cell. The capacities add up to the number of cells or more.
std::vector<std::int32_t> grow(const NeighbourLists& neighbours, std::span<const std::int32_t> capacity);

}  // namespace marshal::mapping
