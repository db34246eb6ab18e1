// The levels above the nodes: switches, racks. A level is to nodes what nodes are to ranks: the weight of pairs in
// different domains crosses its links. Nodes of one size can trade places, which changes nothing between nodes, so
// that what must leave a node stays under one switch.
//
// Two orders are compared by one number: the weight that crosses nodes counts once, that which crosses the lowest level
// above counts two times more, and each level above that doubles it again. Links get fewer towards the top, in many
// networks by half at each level.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/neighbour_lists.h"
#include "mapping/problem.h"
#include "mapping/race.h"

namespace marshal::mapping {

// How often weight counts that crosses one of so many levels.
constexpr WeightedSum factor_of(std::size_t level, std::size_t levels) { return WeightedSum{1} << (levels - level); }

class LevelsAbove {
 public:
  // Outermost first. Nodes that a level keeps apart are apart at all lower levels, too. `capacity`: places of each
  // node. Throws std::invalid_argument for a level that is not one of all nodes.
  LevelsAbove(std::span<const NodeLevel> levels, std::span<const std::int32_t> capacity);

  bool empty() const { return levels_.empty(); }
  std::size_t count() const { return levels_.size(); }
  // At a level, of each node; numbered from 0.
  std::span<const std::int32_t> domains(std::size_t level) const { return levels_[level].domain_of; }
  std::int32_t domain_count(std::size_t level) const { return levels_[level].domains; }
  WeightedSum factor(std::size_t level) const { return factor_of(level, levels_.size()); }

  // The weight that crosses each level; `nodes`: of each cell of the traffic, which may be a rank or a node.
  std::vector<Crossing> crossings(const NeighbourLists& traffic, std::span<const std::int32_t> nodes) const;

  // Names for the nodes of the traffic, each of a node of the same size, so that little crosses the levels: by
  // dividing the nodes level by level, or by exchanges, and never more than without renaming, by the sum of all levels.
  std::vector<std::int32_t> best_names(const NeighbourLists& between_nodes) const;

  // The node of each rank, where its domain at the outermost level is known: each domain is divided level by level.
  // `looks`: as OrderRules::looks.
  std::vector<std::int32_t> divided_below(const NeighbourLists& traffic,
                                          std::span<const std::int32_t> outermost_of_rank, std::int64_t looks) const;

  // These levels as a race for the nodes minds them. All must outlive it.
  Surroundings around(const NeighbourLists& traffic, const OrderRules& rules) const;

  // Equal domains and equal nodes trade names so that as many ranks as possible stay where they were. Nothing else
  // changes, at any level.
  void keep_in_place(std::span<const std::int32_t> given, std::span<std::int32_t> nodes) const;

 private:
  struct Level {
    std::vector<std::int32_t> domain_of;
    std::int32_t domains = 0;
    std::vector<std::int32_t> parent;              // of a domain: the one around it
    std::vector<std::int32_t> shape;               // of a domain; domains of one shape have equal nodes in equal parts
    std::vector<std::vector<std::int32_t>> nodes;  // of a domain, so that those of one shape pair up
  };
  void find_shapes();
  void exchange_nodes(const NeighbourLists& between_nodes, std::vector<std::int32_t>& names) const;
  // Ranks are divided among the outermost domains as if those were nodes, then inside each of them.
  std::vector<std::int32_t> level_by_level(const NeighbourLists& traffic, std::span<const std::int32_t> given,
                                           const OrderRules& rules) const;
  WeightedSum cost(const NeighbourLists& between_nodes, std::span<const std::int32_t> names) const;

  std::vector<Level> levels_;
  std::vector<std::int32_t> capacity_;
};

}  // namespace marshal::mapping
