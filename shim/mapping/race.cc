#include "mapping/race.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "mapping/annealing.h"
#include "mapping/contest.h"
#include "mapping/exchange.h"
#include "mapping/first_assignments.h"
#include "mapping/grid_in_traffic.h"
#include "mapping/index.h"

namespace marshal::mapping {
namespace {

using NodeOfRank = std::vector<std::int32_t>;

// Annealing multiplies weights: their mean stays below 2^20 there.
NeighbourLists with_small_weights(const NeighbourLists& traffic) {
  std::int64_t total = 0;
  for (std::int32_t cell = 0; cell < traffic.cells(); ++cell)
    for (const Neighbour& n : traffic.of(cell)) total += n.cell > cell ? n.weight : 0;
  int shift = 0;
  while ((total >> shift) / std::max<std::int64_t>(1, traffic.pairs()) >= std::int64_t{1} << 20) ++shift;
  std::vector<Sent> sent;
  sent.reserve(at(traffic.pairs()));
  for (std::int32_t cell = 0; cell < traffic.cells(); ++cell)
    for (const Neighbour& n : traffic.of(cell))
      if (n.cell > cell) sent.push_back({cell, n.cell, std::max<std::int64_t>(1, n.weight >> shift)});
  return NeighbourLists(traffic.cells(), sent);
}

}  // namespace

Race::Race(const NeighbourLists& traffic, std::span<const std::int32_t> capacity, NodeOfRank given,
           const OrderRules& rules, Surroundings around)
    : traffic_(traffic), capacity_(capacity), rules_(rules), around_(std::move(around)) {
  runners_.push_back(runner("given", std::move(given)));
}

void Race::run() {
  if (runners_.front().crossing.between_nodes == 0) return;
  const NodeOfRank given = runners_.front().nodes;
  if (rules_.with_grid) try_grid(given);
  if (rules_.with_scotch) try_scotch();
  if (has_levels()) try_improved("level by level", around_.level_by_level(given));
  try_improved("growing", grow(traffic_, capacity_));
  try_improved("given", given);
  anneal_the_best();
  const Runner limit = runners_.front();
  std::stable_sort(runners_.begin(), runners_.end(), [&](const Runner& a, const Runner& b) {
    const bool a_may_win = is_no_worse(a, limit);
    if (a_may_win != is_no_worse(b, limit)) return a_may_win;
    return is_better(a, b);
  });
}

std::vector<OrderEntry> Race::entries() const {
  std::vector<OrderEntry> list;
  for (const Runner& runner : runners_) {
    const bool listed =
        std::any_of(list.begin(), list.end(), [&](const OrderEntry& entry) { return entry.method == runner.method; });
    if (!listed) list.push_back({runner.method, runner.crossing, {}, runner.above});
  }
  list.insert(list.end(), absent_.begin(), absent_.end());
  return list;
}

bool Race::is_no_worse(const Runner& runner, const Runner& given) const {
  if (runner.crossing.busiest_node > given.crossing.busiest_node) return false;
  if (!has_levels()) return true;
  if (runner.crossing.between_nodes > given.crossing.between_nodes) return false;
  for (std::size_t level = 0; level < given.above.size(); ++level)
    if (runner.above[level].between_nodes > given.above[level].between_nodes ||
        runner.above[level].busiest_node > given.above[level].busiest_node)
      return false;
  return true;
}

bool Race::is_better(const Runner& a, const Runner& b) {
  return a.cost != b.cost ? a.cost < b.cost : a.crossing.busiest_node < b.crossing.busiest_node;
}

Race::Runner Race::runner(std::string method, NodeOfRank nodes) const {
  const auto count = static_cast<std::int32_t>(capacity_.size());
  Runner one{std::move(method), crossing_of(traffic_, nodes, count), {}, std::move(nodes), 0};
  one.cost = static_cast<WeightedSum>(one.crossing.between_nodes);
  if (!has_levels()) return one;
  one.above = around_.crossings(one.nodes);
  for (std::size_t level = 0; level < one.above.size(); ++level)
    one.cost += around_.factors[level] * static_cast<WeightedSum>(one.above[level].between_nodes);
  return one;
}

void Race::enter(std::string method, NodeOfRank nodes) {
  if (has_levels()) {
    const auto names =
        around_.best_names(traffic_between(traffic_, nodes, static_cast<std::int32_t>(capacity_.size())));
    for (std::int32_t& node : nodes) node = names[at(node)];
  }
  runners_.push_back(runner(std::move(method), std::move(nodes)));
}

void Race::try_improved(const std::string& method, NodeOfRank nodes) {
  fit_to_capacity(traffic_, capacity_, nodes);
  NodeOfRank exchanged = nodes;
  const std::int64_t gained = exchange_cells(traffic_, capacity_, exchanged, exchange_rounds);
  // Exchanges between nodes look at no other level: with levels above, the order without them may be the better one.
  if (has_levels() && (gained > 0 || method == "given"))
    enter(method == "given" ? "whole nodes" : method, std::move(nodes));
  if (gained > 0 || method != "given") enter(method + (gained > 0 ? " + exchanges" : ""), std::move(exchanged));
}

void Race::try_grid(const NodeOfRank& given) {
  const auto found = find_grid(traffic_);
  if (!found) {
    absent_.push_back({"grid", {}, "the traffic is not that of a grid in row-major order"});
    return;
  }
  ContestRules rules;
  // Several annealing runs; an exchange takes six times as long as a look.
  rules.exchanges = std::min(rules.exchanges, rules_.looks / 24);
  const Problem problem = make_problem(found->grid, found->stencil, given);
  ContestResult result = propose(problem, rules);
  NodeOfRank node_of_number(problem.capacity.size());
  for (std::size_t rank = 0; rank < given.size(); ++rank) node_of_number[at(problem.given[rank])] = given[rank];
  for (std::int32_t& node : result.node_of_cell) node = node_of_number[at(node)];
  try_improved(fmt::format("grid {}: {}", fmt::join(found->grid.dims, "x"), name_of(result.winner)),
               std::move(result.node_of_cell));
}

void Race::try_scotch() {
  ScotchAnswer answer = scotch_map(traffic_, capacity_);
  if (answer.node_of_cell.empty())
    absent_.push_back({"scotch", {}, answer.why_not});
  else
    try_improved("scotch", std::move(answer.node_of_cell));
}

void Race::anneal_the_best() {
  if (rules_.looks == 0 || traffic_.cells() > most_cells_to_anneal || traffic_.pairs() == 0) return;
  std::vector<std::size_t> best(runners_.size());
  std::iota(best.begin(), best.end(), std::size_t{0});
  std::stable_sort(best.begin(), best.end(),
                   [this](std::size_t a, std::size_t b) { return is_better(runners_[a], runners_[b]); });
  best.resize(std::min<std::size_t>(best.size(), 2));
  struct Heat {
    std::size_t from;
    int hot, cold;
  };
  constexpr std::array<Heat, 4> heats{{{0, 40, 10}, {0, 100, 15}, {1, 60, 15}, {0, 180, 30}}};
  const NeighbourLists small = with_small_weights(traffic_);
  const std::int64_t looks_an_exchange = 8 + 6 * traffic_.pairs() / traffic_.cells();
  AnnealingPlan plan;
  plan.exchanges =
      std::min(rules_.looks / std::ssize(heats) / looks_an_exchange, traffic_.cells() * exchanges_per_cell);
  for (const Heat& heat : heats) {
    const std::size_t from = best[std::min(heat.from, best.size() - 1)];
    ++plan.seed;
    plan.hot = heat.hot;
    plan.cold = heat.cold;
    const std::string method = runners_[from].method + " + annealing";
    NodeOfRank nodes = anneal(small, capacity_, runners_[from].nodes, plan);
    exchange_cells(traffic_, capacity_, nodes, exchange_rounds);
    enter(method, std::move(nodes));
  }
}

}  // namespace marshal::mapping
