#include "mapping/plan_cart.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "mapping/lower_bound.h"

namespace marshal::mapping {
namespace {

bool levels_gain(const std::vector<LevelGain>& levels, double min_gain_percent) {
  for (const LevelGain& level : levels)
    if (level.before != level.after)
      return level.after < level.before && gain_percent(level.before, level.after) >= min_gain_percent;
  return false;
}

}  // namespace

std::string why_not_worth(Mapper proposed_by, const Metrics& before, const Metrics& after, double min_gain_percent,
                          std::span<const AboveGain> above) {
  for (const AboveGain& level : above)
    if (level.after.jsum > level.before.jsum)
      return fmt::format("more would cross {} than in the given order", level.name);
  std::vector<AboveGain> unchanged(above.begin(), above.end());
  for (AboveGain& level : unchanged) level.after = level.before;
  if (std::pair(weighted(after.jsum, above), after.jmax) >= std::pair(weighted(before.jsum, unchanged), before.jmax))
    return row(proposed_by).place == nullptr || proposed_by == Mapper::given
               ? "no better order found"
               : fmt::format("{} is not better than the given order", name_of(proposed_by));
  double gain = std::max(gain_percent(before.jsum, after.jsum), gain_percent(before.jmax, after.jmax));
  for (const AboveGain& level : above) gain = std::max(gain, gain_percent(level.before.jsum, level.after.jsum));
  if (gain >= min_gain_percent) return {};
  return fmt::format("a gain of {:.2f} % is below the least gain of {:g} %", gain, min_gain_percent);
}

Mapping plan_cart(const CartRequest& request) {
  const auto start = std::chrono::steady_clock::now();
  Problem problem = make_problem(request.grid, request.stencil, request.node_of_rank);
  problem.ties = request.ties;
  Mapping mapping;
  mapping.before = measure(problem.grid, problem.stencil, problem.given, problem.nodes());
  mapping.lower_bound = jsum_lower_bound(problem);
  mapping.given_nodes = mapping.node_of_cell = problem.given;
  mapping.after = mapping.before;
  const CartAbove above(problem, request.above, request.node_of_rank);

  if (mapping.before.jsum == 0) {
    mapping.reason = "no neighbours on different nodes";
  } else {
    ContestResult result =
        above.improved(propose(problem, request.rules, request.team, Traffic{mapping.before.jsum, mapping.before.jmax}),
                       request.rules, request.team);
    mapping.entries = std::move(result.entries);
    mapping.reason = std::move(result.why_not);
    if (mapping.reason.empty()) {
      if (above.empty())
        keep_first_in_place(problem, result.node_of_cell);
      else
        above.keep_in_place(result.node_of_cell);
      const Metrics after = measure(problem.grid, problem.stencil, result.node_of_cell, problem.nodes());
      mapping.reason = why_not_worth(request.rules.mapper, mapping.before, after, request.min_gain_percent,
                                     above.gains(result.node_of_cell));
      if (mapping.reason.empty()) {
        mapping.winner = result.winner;
        mapping.detail = std::move(result.detail);
        mapping.node_of_cell = std::move(result.node_of_cell);
        mapping.after = after;
      }
      mapping.held_back = result.held_back && mapping.winner == Mapper::given;
    }
  }

  mapping.above = above.gains(mapping.node_of_cell);
  const bool nodes_stay = mapping.winner == Mapper::given;
  Placement placement = place(problem, request.node_of_rank, mapping.node_of_cell, request.levels);
  if (nodes_stay && !levels_gain(placement.levels, request.min_gain_percent))
    placement = place(problem, request.node_of_rank, mapping.node_of_cell);
  mapping.levels = std::move(placement.levels);
  mapping.new_rank = std::move(placement.new_rank);
  mapping.old_rank = std::move(placement.old_rank);
  for (std::size_t rank = 0; rank < mapping.new_rank.size(); ++rank)
    mapping.moved_ranks += mapping.new_rank[rank] != static_cast<std::int32_t>(rank) ? 1 : 0;
  mapping.moved = mapping.moved_ranks > 0;
  mapping.predicted_before = predict_exchange(mapping.before, request.machine);
  mapping.predicted_after = predict_exchange(mapping.after, request.machine);
  mapping.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return mapping;
}

}  // namespace marshal::mapping
