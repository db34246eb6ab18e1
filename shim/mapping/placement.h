// From nodes of cells to ranks: which process takes which cell. Within a node processes and cells pair up in ascending
// order; equal nodes trade places so that rank 0 keeps cell 0, where programs read and write; processes without a cell
// come last.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mapping/problem.h"

namespace marshal::mapping {

// The domains at one level inside the nodes (packages, NUMA domains, shared caches), or above them (switches, racks).
// Lists have the outermost level first.
struct DomainLevel {
  std::string name;
  std::vector<std::int32_t> domain_of_rank;  // -1: not bound to one, or not known
};

// Levels above the nodes, whose processes all have the same domain.
std::vector<NodeLevel> levels_of_nodes(std::span<const DomainLevel> above, const NumberedNodes& nodes);
// The same the other way round: each rank has the domains of its node.
std::vector<DomainLevel> levels_of_ranks(std::span<const NodeLevel> above, std::span<const std::int32_t> node_of_rank);

// The members of each domain; domains by first appearance.
std::vector<std::vector<std::int32_t>> by_domain(std::span<const std::int32_t> members,
                                                 std::span<const std::int32_t> domain_of);

struct LevelGain {
  std::string name;
  // Weight of the pairs between processes of one node in different domains. Only nodes whose domains are known count.
  std::int64_t before = 0, after = 0;
  bool operator==(const LevelGain&) const = default;
};

struct Placement {
  std::vector<std::int32_t> old_rank;  // of each cell
  std::vector<std::int32_t> new_rank;  // of each old rank; spare ones count on from the number of cells
  std::vector<LevelGain> levels;
};

// Exchanges the names of two equal nodes so that cell 0 lies on the node of rank 0, where that is possible.
void keep_first_in_place(const Problem& problem, std::span<std::int32_t> node_of_cell);

// `node_of_rank` as given to make_problem. With levels, each node's cells are divided among its domains where that
// lowers the weight between domains; which cells the node has never changes. A node in which nothing moves keeps the
// given order.
Placement place(const Problem& problem, std::span<const std::int32_t> node_of_rank,
                std::span<const std::int32_t> node_of_cell, std::span<const DomainLevel> levels = {});

}  // namespace marshal::mapping
