// The weight that crosses the borders of groups of ranks, in exact integers: of nodes, or of levels above them.
#pragma once

#include <compare>
#include <cstdint>
#include <span>

#include "mapping/neighbour_lists.h"

namespace marshal::mapping {

// Weight that crosses nodes, or domains of another level, each pair once.
struct Crossing {
  std::int64_t between_nodes = 0;
  std::int64_t busiest_node = 0;  // in and out
  auto operator<=>(const Crossing&) const = default;
};
Crossing crossing_of(const NeighbourLists& traffic, std::span<const std::int32_t> node_of_rank, std::int32_t nodes);

// Weights of several levels, added up.
__extension__ using WeightedSum = unsigned __int128;

// The traffic between nodes: the nodes are its cells.
NeighbourLists traffic_between(const NeighbourLists& traffic, std::span<const std::int32_t> node_of_rank,
                               std::int32_t nodes);

}  // namespace marshal::mapping
