#include "mapping/plan_order.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "mapping/annealing.h"
#include "mapping/contest.h"
#include "mapping/exchange.h"
#include "mapping/grid_in_traffic.h"
#include "mapping/growing.h"
#include "mapping/index.h"
#include "mapping/placement.h"
#include "mapping/scotch_library.h"

namespace marshal::mapping {
namespace {

using NodeOfRank = std::vector<std::int32_t>;

constexpr int exchange_rounds = 6;

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

// The methods compete here, and what they found is improved.
class Race {
 public:
  Race(const NeighbourLists& traffic, std::span<const std::int32_t> capacity, NodeOfRank given, const OrderRules& rules)
      : traffic_(traffic), capacity_(capacity), rules_(rules) {
    enter("given", std::move(given));
    limit_ = runners_.front().crossing;
  }

  void run() {
    if (limit_.between_nodes == 0) return;
    const NodeOfRank given = runners_.front().nodes;
    if (rules_.with_grid) try_grid(given);
    if (rules_.with_scotch) try_scotch();
    try_improved("growing", grow(traffic_, capacity_));
    try_improved("given", given);
    anneal_the_best();
    std::stable_sort(runners_.begin(), runners_.end(), [this](const Runner& a, const Runner& b) {
      if (may_win(a) != may_win(b)) return may_win(a);
      return a.crossing < b.crossing;
    });
  }

  const NodeOfRank& winner() const { return runners_.front().nodes; }
  std::vector<OrderEntry> entries() const {
    std::vector<OrderEntry> list;
    for (const Runner& runner : runners_) {
      const bool listed =
          std::any_of(list.begin(), list.end(), [&](const OrderEntry& entry) { return entry.method == runner.method; });
      if (!listed) list.push_back({runner.method, runner.crossing, {}});
    }
    list.insert(list.end(), absent_.begin(), absent_.end());
    return list;
  }

 private:
  struct Runner {
    std::string method;
    Crossing crossing;
    NodeOfRank nodes;
  };

  bool may_win(const Runner& runner) const { return runner.crossing.busiest_node <= limit_.busiest_node; }

  void enter(std::string method, NodeOfRank nodes) {
    const Crossing crossing = crossing_of(traffic_, nodes, static_cast<std::int32_t>(capacity_.size()));
    runners_.push_back({std::move(method), crossing, std::move(nodes)});
  }

  void try_improved(const std::string& method, NodeOfRank nodes) {
    fit_to_capacity(traffic_, capacity_, nodes);
    const std::int64_t gained = exchange_cells(traffic_, capacity_, nodes, exchange_rounds);
    if (gained > 0 || method != "given") enter(method + (gained > 0 ? " + exchanges" : ""), std::move(nodes));
  }

  void try_grid(const NodeOfRank& given) {
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

  void try_scotch() {
    ScotchAnswer answer = scotch_map(traffic_, capacity_);
    if (answer.node_of_cell.empty())
      absent_.push_back({"scotch", {}, answer.why_not});
    else
      try_improved("scotch", std::move(answer.node_of_cell));
  }

  void anneal_the_best() {
    if (rules_.looks == 0 || traffic_.cells() > most_cells_to_anneal || traffic_.pairs() == 0) return;
    std::vector<std::size_t> best(runners_.size());
    std::iota(best.begin(), best.end(), std::size_t{0});
    std::stable_sort(best.begin(), best.end(),
                     [this](std::size_t a, std::size_t b) { return runners_[a].crossing < runners_[b].crossing; });
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

  const NeighbourLists& traffic_;
  std::span<const std::int32_t> capacity_;
  const OrderRules& rules_;
  Crossing limit_;
  std::vector<Runner> runners_;
  std::vector<OrderEntry> absent_;
};

// Equal nodes trade names so that as many ranks as possible stay on the node that they had.
void keep_in_place(std::span<const std::int32_t> capacity, const NodeOfRank& given, NodeOfRank& nodes) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> ranks_on;  // both nodes, the new and the old one
  for (std::size_t rank = 0; rank < nodes.size(); ++rank)
    if (capacity[at(nodes[rank])] == capacity[at(given[rank])]) ++ranks_on[{nodes[rank], given[rank]}];
  // Rank 0 first: programs read and write there.
  if (!nodes.empty() && ranks_on.contains({nodes[0], given[0]}))
    ranks_on[{nodes[0], given[0]}] = std::numeric_limits<std::int64_t>::max();
  std::vector<std::pair<std::pair<std::int32_t, std::int32_t>, std::int64_t>> overlaps(ranks_on.begin(),
                                                                                       ranks_on.end());
  std::stable_sort(overlaps.begin(), overlaps.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::int32_t> name_of(capacity.size(), -1);
  std::vector<bool> taken(capacity.size(), false);
  for (const auto& [both, ranks] : overlaps)
    if (const auto [node, name] = both; name_of[at(node)] < 0 && !taken[at(name)]) {
      name_of[at(node)] = name;
      taken[at(name)] = true;
    }
  // The other nodes get the free names in order, each a name of a node of its size.
  std::vector<std::pair<std::int32_t, std::int32_t>> names, unnamed;
  for (std::int32_t node = 0; node < std::ssize(capacity); ++node) {
    if (!taken[at(node)]) names.emplace_back(capacity[at(node)], node);
    if (name_of[at(node)] < 0) unnamed.emplace_back(capacity[at(node)], node);
  }
  std::sort(names.begin(), names.end());
  std::sort(unnamed.begin(), unnamed.end());
  for (std::size_t i = 0; i < names.size(); ++i) name_of[at(unnamed[i].second)] = names[i].second;
  for (std::int32_t& node : nodes) node = name_of[at(node)];
}

std::vector<std::int64_t> weights_between(const NeighbourLists& traffic, std::span<const PlaceLevel> levels,
                                          std::span<const std::int32_t> node_of_rank,
                                          std::span<const std::int32_t> place_of_rank) {
  std::vector<std::int64_t> weights;
  for (const PlaceLevel& level : levels) {
    std::int64_t weight = 0;
    for (std::int32_t rank = 0; rank < traffic.cells(); ++rank)
      for (const Neighbour& n : traffic.of(rank))
        if (n.cell > rank && node_of_rank[at(n.cell)] == node_of_rank[at(rank)] &&
            level.domain_of_place[at(place_of_rank[at(n.cell)])] != level.domain_of_place[at(place_of_rank[at(rank)])])
          weight += n.weight;
    weights.push_back(weight);
  }
  return weights;
}

// Gives the ranks of one node, or of one domain of it, the places there, level by level.
class WithinNodes {
 public:
  WithinNodes(const NeighbourLists& traffic, std::span<const PlaceLevel> levels,
              std::vector<std::int32_t>& place_of_rank)
      : traffic_(traffic), levels_(levels), place_of_rank_(place_of_rank), local_(at(traffic.cells()), -1) {}

  // There are as many places as ranks or more; both lists ascend.
  void fill(std::span<const std::int32_t> ranks, std::span<const std::int32_t> places, std::size_t depth = 0) {
    if (depth == levels_.size()) {
      for (std::size_t i = 0; i < ranks.size(); ++i) place_of_rank_[at(ranks[i])] = places[i];
      return;
    }
    const auto places_of = by_domain(places, levels_[depth].domain_of_place);
    const NodeOfRank domains = places_of.size() == 1 ? NodeOfRank(ranks.size(), 0) : divide(ranks, places_of);
    for (std::size_t d = 0; d < places_of.size(); ++d) {
      std::vector<std::int32_t> its_ranks;
      for (std::size_t i = 0; i < ranks.size(); ++i)
        if (domains[i] == static_cast<std::int32_t>(d)) its_ranks.push_back(ranks[i]);
      fill(its_ranks, places_of[d], depth + 1);
    }
  }

 private:
  NodeOfRank divide(std::span<const std::int32_t> ranks, const std::vector<std::vector<std::int32_t>>& places_of) {
    for (std::size_t i = 0; i < ranks.size(); ++i) local_[at(ranks[i])] = static_cast<std::int32_t>(i);
    std::vector<Sent> sent;
    for (const std::int32_t rank : ranks)
      for (const Neighbour& n : traffic_.of(rank))
        if (n.cell > rank && local_[at(n.cell)] >= 0) sent.push_back({local_[at(rank)], local_[at(n.cell)], n.weight});
    for (const std::int32_t rank : ranks) local_[at(rank)] = -1;
    std::vector<std::int32_t> capacity;
    NodeOfRank in_order;
    for (const auto& places : places_of) {
      for (std::size_t i = 0; i < places.size() && in_order.size() < ranks.size(); ++i)
        in_order.push_back(static_cast<std::int32_t>(capacity.size()));
      capacity.push_back(static_cast<std::int32_t>(places.size()));
    }
    OrderRules rules;
    rules.with_grid = rules.with_scotch = false;
    rules.looks = std::min<std::int64_t>(rules.looks, std::ssize(ranks) * 100'000);
    const NeighbourLists traffic(static_cast<std::int32_t>(ranks.size()), sent);
    Race race(traffic, capacity, std::move(in_order), rules);
    race.run();
    return race.winner();
  }

  const NeighbourLists& traffic_;
  std::span<const PlaceLevel> levels_;
  std::vector<std::int32_t>& place_of_rank_;
  std::vector<std::int32_t> local_;  // number of a rank in the part being divided
};

}  // namespace

Crossing crossing_of(const NeighbourLists& traffic, std::span<const std::int32_t> node_of_rank, std::int32_t nodes) {
  Crossing crossing;
  std::vector<std::int64_t> of_node(at(nodes));
  for (std::int32_t rank = 0; rank < traffic.cells(); ++rank)
    for (const Neighbour& n : traffic.of(rank)) {
      const std::int32_t a = node_of_rank[at(rank)], b = node_of_rank[at(n.cell)];
      if (n.cell < rank || a == b) continue;
      crossing.between_nodes += n.weight;
      of_node[at(a)] += n.weight;
      of_node[at(b)] += n.weight;
    }
  if (!of_node.empty()) crossing.busiest_node = *std::max_element(of_node.begin(), of_node.end());
  return crossing;
}

Order plan_order(const OrderRequest& request) {
  const auto ranks = at(request.traffic.cells());
  std::vector<std::int32_t> node_of_place;
  for (std::size_t node = 0; node < request.capacity.size(); ++node)
    node_of_place.insert(node_of_place.end(), at(request.capacity[node]), static_cast<std::int32_t>(node));
  if (node_of_place.size() < ranks) throw std::invalid_argument("there are fewer places than ranks");
  if (request.given.size() != ranks) throw std::invalid_argument("the order given is not one of all ranks");
  std::vector<bool> taken(node_of_place.size(), false);
  NodeOfRank given(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const std::int32_t place = request.given[rank];
    if (place < 0 || at(place) >= node_of_place.size() || taken[at(place)])
      throw std::invalid_argument("the order given has a place that does not exist, or twice");
    taken[at(place)] = true;
    given[rank] = node_of_place[at(place)];
  }

  Race race(request.traffic, request.capacity, given, request.rules);
  race.run();
  NodeOfRank nodes = race.winner();
  keep_in_place(request.capacity, given, nodes);

  Order order;
  order.entries = race.entries();
  const auto count = static_cast<std::int32_t>(request.capacity.size());
  order.before = crossing_of(request.traffic, given, count);
  order.after = crossing_of(request.traffic, nodes, count);
  order.level_before = weights_between(request.traffic, request.levels, given, request.given);

  std::vector<std::vector<std::int32_t>> ranks_of(request.capacity.size());
  for (std::size_t rank = 0; rank < ranks; ++rank) ranks_of[at(nodes[rank])].push_back(static_cast<std::int32_t>(rank));
  order.place_of_rank.assign(request.given.begin(), request.given.end());
  WithinNodes inside(request.traffic, request.levels, order.place_of_rank);
  std::int32_t first = 0;
  for (std::size_t node = 0; node < request.capacity.size(); ++node) {
    std::vector<std::int32_t> places(at(request.capacity[node]));
    std::iota(places.begin(), places.end(), first);
    first += request.capacity[node];
    inside.fill(ranks_of[node], places);
  }
  order.level_after = weights_between(request.traffic, request.levels, nodes, order.place_of_rank);
  // An order that gains nothing is the one given.
  if (order.after == order.before && order.level_after >= order.level_before) {
    order.place_of_rank.assign(request.given.begin(), request.given.end());
    order.after = order.before;
    order.level_after = order.level_before;
  }
  order.moved = !std::equal(order.place_of_rank.begin(), order.place_of_rank.end(), request.given.begin());
  return order;
}

}  // namespace marshal::mapping
