// The quality of an assignment of cells to nodes, in exact integers. Jsum: the weights of all directed neighbour pairs
// whose cells lie on different nodes. Jmax: the largest sum of such weights that leaves one node. Partners: how many
// neighbours of a cell are on its own node, and how many are not. They count pairs, not weights, as do the tables of
// nodecart (Gropp, "Using Node Information to Implement MPI Cartesian Topologies", slide "Comparing On- and Off-node
// Communication"). The most that one cell exchanges is a property of the grid alone, not of the assignment.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/grid.h"
#include "mapping/stencil.h"

namespace marshal::mapping {

struct PartnerCount {
  std::int64_t min = 0, max = 0, sum = 0;  // the average is sum / cells
  bool operator==(const PartnerCount&) const = default;
};

struct Metrics {
  std::int64_t cells = 0;
  std::int64_t jsum = 0;
  std::int64_t jmax = 0;
  PartnerCount on_node, off_node;
  std::int64_t most_partners = 0, most_weight = 0;  // of one cell

  double average(const PartnerCount& partners) const {
    return cells > 0 ? static_cast<double>(partners.sum) / static_cast<double>(cells) : 0.0;
  }
  bool operator==(const Metrics&) const = default;
};

// By how much a sum falls; 0 where there is nothing to fall.
inline double gain_percent(std::int64_t before, std::int64_t after) {
  return before > 0 ? 100.0 * static_cast<double>(before - after) / static_cast<double>(before) : 0.0;
}

// Node of each cell, as small integers 0 … nodes-1.
using NodeOfCell = std::span<const std::int32_t>;

std::int64_t jsum_of(const Grid& grid, const Stencil& stencil, NodeOfCell node_of_cell);

// As jsum_of, but gives up with a value above `limit` as soon as that is certain.
std::int64_t jsum_up_to(const Grid& grid, const Stencil& stencil, NodeOfCell node_of_cell, std::int64_t limit);

// Both sums, for little more than one of them takes.
struct Traffic {
  std::int64_t jsum = 0, jmax = 0;
  bool operator==(const Traffic&) const = default;
};
Traffic traffic_of(const Grid& grid, const Stencil& stencil, NodeOfCell node_of_cell, std::int32_t nodes);

Metrics measure(const Grid& grid, const Stencil& stencil, NodeOfCell node_of_cell, std::int32_t nodes);

}  // namespace marshal::mapping
