#include "mapping/plan_cart.h"

#include <fmt/format.h>

#include <chrono>

#include "mapping/lower_bound.h"

namespace marshal::mapping {
namespace {

double gain_percent(std::int64_t before, std::int64_t after) {
  return before > 0 ? 100.0 * static_cast<double>(before - after) / static_cast<double>(before) : 0.0;
}

bool levels_gain(const std::vector<LevelGain>& levels, double min_gain_percent) {
  for (const LevelGain& level : levels)
    if (level.before != level.after)
      return level.after < level.before && gain_percent(level.before, level.after) >= min_gain_percent;
  return false;
}

}  // namespace

Mapping plan_cart(const CartRequest& request) {
  const auto start = std::chrono::steady_clock::now();
  const Problem problem = make_problem(request.grid, request.stencil, request.node_of_rank);
  Mapping mapping;
  mapping.before = measure(problem.grid, problem.stencil, problem.given, problem.nodes());
  mapping.lower_bound = jsum_lower_bound(problem);
  mapping.given_nodes = mapping.node_of_cell = problem.given;
  mapping.after = mapping.before;

  if (mapping.before.jsum == 0) {
    mapping.reason = "no neighbours on different nodes";
  } else {
    ContestResult result = contest(problem, request.rules, request.team, mapping.before.jmax);
    mapping.entries = std::move(result.entries);
    keep_first_in_place(problem, result.node_of_cell);
    const Metrics after = measure(problem.grid, problem.stencil, result.node_of_cell, problem.nodes());
    const double gain = gain_percent(mapping.before.jsum, after.jsum);
    if (!result.why_not.empty()) {
      mapping.reason = std::move(result.why_not);
    } else if (result.winner == Mapper::given || after.jsum >= mapping.before.jsum) {
      mapping.reason = request.rules.mapper == Mapper::best || request.rules.mapper == Mapper::search
                           ? "no better order found"
                           : fmt::format("{} is not better than the given order", name_of(request.rules.mapper));
    } else if (gain < request.min_gain_percent) {
      mapping.reason =
          fmt::format("a gain of {:.2f} % is below the least gain of {:g} %", gain, request.min_gain_percent);
    } else {
      mapping.winner = result.winner;
      mapping.detail = std::move(result.detail);
      mapping.node_of_cell = std::move(result.node_of_cell);
      mapping.after = after;
    }
  }

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
