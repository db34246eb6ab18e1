// Fits the order of a grid to the levels above the nodes (levels_above.h). Whole nodes of one size trade places, and a
// division level by level competes with the order that the contest found.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mapping/contest.h"
#include "mapping/levels_above.h"
#include "mapping/metrics.h"
#include "mapping/placement.h"
#include "mapping/problem.h"

namespace marshal::mapping {

// The weight that leaves the domains of one level, in directed sums as Metrics: jsum of all, jmax of the busiest.
struct AboveGain {
  std::string name;
  Traffic before, after;
  bool operator==(const AboveGain&) const = default;
};

class CartAbove {
 public:
  // `levels`: above the nodes, outermost first; all processes of a node are in one domain. The problem must outlive it.
  CartAbove(const Problem& problem, std::span<const DomainLevel> levels, std::span<const std::int32_t> node_of_rank);

  bool empty() const { return levels_.empty(); }

  // The better of what the contest found and orders of its own, by the weights of levels_above.h. It is worse than the
  // order given at no level, by none of the stencils of the rules. But a mapper that was asked for by name keeps its
  // order, in which only whole nodes trade places; the order given stays where it was asked for. Called by all of the
  // team. All get the same answer.
  ContestResult improved(ContestResult found, const ContestRules& rules, const Team& team) const;

  // At each level.
  std::vector<AboveGain> gains(std::span<const std::int32_t> node_of_cell) const;

  // As keep_first_in_place of placement.h.
  void keep_in_place(std::span<std::int32_t> node_of_cell) const;

 private:
  std::vector<std::int32_t> with_best_names(std::vector<std::int32_t> node_of_cell) const;
  std::vector<std::int32_t> level_by_level(const ContestRules& rules, const Team& team) const;
  std::vector<std::int32_t> domains_of(std::size_t level, std::span<const std::int32_t> node_of_cell) const;
  bool is_no_worse(std::span<const std::int32_t> node_of_cell, const Stencil& stencil) const;

  const Problem& problem_;
  std::vector<std::string> names_;
  LevelsAbove levels_;
};

// The sum of all that crosses nodes and levels after the change, weighted as levels_above.h says.
WeightedSum weighted(std::int64_t jsum, std::span<const AboveGain> above);

}  // namespace marshal::mapping
