// Improves an assignment of any traffic by exchanges between two nodes. The cells that would gain most on the other
// node trade places, as long as both together lose nothing. (After Kernighan and Lin, "An Efficient Heuristic Procedure
// for Partitioning Graphs", 1970.) Sizes of nodes stay exact. A round takes time linear in the pairs. It is the quick
// way for traffic too large to anneal, and the finish for all other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/neighbour_lists.h"

namespace marshal::mapping {

// Rounds that pay for most traffic.
inline constexpr int exchange_rounds = 6;

// Both change `node_of_cell` in place. `capacity`: cells that each node takes at most.

// Moves cells from nodes that have too many to nodes with free places, where they lose least.
void fit_to_capacity(const NeighbourLists& neighbours, std::span<const std::int32_t> capacity,
                     std::span<std::int32_t> node_of_cell);

// Exchanges, and moves to free places, until a round gains nothing, or less than a thousandth and `rounds` are over.
// Returns by how much the weight between nodes fell. `kind`: cells of different kinds do not trade places; there may be
// no free ones then. Empty: all are of one kind.
std::int64_t exchange_cells(const NeighbourLists& neighbours, std::span<const std::int32_t> capacity,
                            std::span<std::int32_t> node_of_cell, int rounds, std::span<const std::int32_t> kind = {});

}  // namespace marshal::mapping
