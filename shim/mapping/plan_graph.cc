#include "mapping/plan_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "mapping/index.h"
#include "mapping/plan_order.h"

namespace marshal::mapping {
namespace {

// The processes' places, numbered node by node; nodes in the order in which they first appear.
struct PlacedProcesses {
  NumberedNodes nodes;
  std::vector<std::int32_t> place_of_rank, rank_at_place;

  explicit PlacedProcesses(std::span<const std::int32_t> node_of_rank)
      : nodes(node_of_rank), place_of_rank(node_of_rank.size()) {
    rank_at_place.resize(node_of_rank.size());
    std::iota(rank_at_place.begin(), rank_at_place.end(), 0);
    std::ranges::stable_sort(rank_at_place, {}, [&](std::int32_t rank) { return nodes.of_rank[at(rank)]; });
    for (std::size_t place = 0; place < rank_at_place.size(); ++place)
      place_of_rank[at(rank_at_place[place])] = static_cast<std::int32_t>(place);
  }
};

// For each level and each place, the domain of the process there. Processes that are bound to no domain share one.
std::vector<PlaceLevel> levels_of_places(std::span<const DomainLevel> levels, const PlacedProcesses& processes) {
  std::vector<PlaceLevel> list;
  for (const DomainLevel& level : levels) {
    PlaceLevel& places = list.emplace_back(PlaceLevel{level.name, {}});
    for (const std::int32_t rank : processes.rank_at_place)
      places.domain_of_place.push_back(level.domain_of_rank[at(rank)]);
  }
  return list;
}

void count_in(PartnerCount& partners, std::int64_t count, bool first) {
  partners.min = first ? count : std::min(partners.min, count);
  partners.max = std::max(partners.max, count);
  partners.sum += count;
}

Metrics metrics_of_edges(std::span<const Sent> edges, std::span<const std::int32_t> node_of_rank,
                         std::span<const std::int32_t> rank_of_vertex) {
  struct Sums {
    std::int64_t on_node = 0, off_node = 0, weight = 0;
  };
  std::vector<Sums> of_vertex(rank_of_vertex.size());
  std::vector<std::int64_t> leaving;
  Metrics metrics;
  metrics.cells = std::ssize(rank_of_vertex);
  for (const Sent& edge : edges) {
    if (edge.from == edge.to) continue;
    Sums& sums = of_vertex[at(edge.from)];
    const std::int32_t from = node_of_rank[at(rank_of_vertex[at(edge.from)])];
    sums.weight += edge.weight;
    if (from == node_of_rank[at(rank_of_vertex[at(edge.to)])]) {
      ++sums.on_node;
      continue;
    }
    ++sums.off_node;
    if (leaving.size() <= at(from)) leaving.resize(at(from) + 1);
    leaving[at(from)] += edge.weight;
    metrics.jsum += edge.weight;
  }
  if (!leaving.empty()) metrics.jmax = *std::max_element(leaving.begin(), leaving.end());
  for (std::size_t v = 0; v < of_vertex.size(); ++v) {
    const Sums& sums = of_vertex[v];
    count_in(metrics.on_node, sums.on_node, v == 0);
    count_in(metrics.off_node, sums.off_node, v == 0);
    metrics.most_partners = std::max(metrics.most_partners, sums.on_node + sums.off_node);
    metrics.most_weight = std::max(metrics.most_weight, sums.weight);
  }
  return metrics;
}

// Empty: it is worth moving.
std::string why_keep(const Order& order, double min_gain_percent) {
  if (!order.moved) return "no better order found";
  double gain = std::max(gain_percent(order.before.between_nodes, order.after.between_nodes),
                         gain_percent(order.before.busiest_node, order.after.busiest_node));
  for (std::size_t level = 0; level < order.above_before.size(); ++level)
    gain =
        std::max(gain, gain_percent(order.above_before[level].between_nodes, order.above_after[level].between_nodes));
  if (order.before == order.after && order.above_before == order.above_after)
    for (std::size_t level = 0; level < order.level_before.size(); ++level)
      if (order.level_before[level] != order.level_after[level]) {
        gain = gain_percent(order.level_before[level], order.level_after[level]);
        break;
      }
  if (gain >= min_gain_percent) return {};
  return fmt::format("a gain of {:.2f} % is below the least gain of {:g} %", gain, min_gain_percent);
}

}  // namespace

GraphOrder plan_graph(const GraphRequest& request) {
  const auto start = std::chrono::steady_clock::now();
  const PlacedProcesses processes(request.node_of_rank);
  const std::vector<PlaceLevel> levels = levels_of_places(request.levels, processes);
  const std::vector<NodeLevel> above = levels_of_nodes(request.above, processes.nodes);
  OrderRules rules;
  rules.with_scotch = false;
  rules.looks = request.looks;
  const NeighbourLists traffic(static_cast<std::int32_t>(request.node_of_rank.size()), request.edges);
  const Order order = plan_order({traffic, processes.nodes.capacity, processes.place_of_rank, levels, rules, above});

  GraphOrder graph;
  graph.nodes = static_cast<std::int32_t>(processes.nodes.capacity.size());
  graph.old_rank.resize(request.node_of_rank.size());
  std::iota(graph.old_rank.begin(), graph.old_rank.end(), 0);
  graph.new_rank = graph.old_rank;
  graph.before = graph.after = metrics_of_edges(request.edges, request.node_of_rank, graph.old_rank);
  graph.method = "given";
  graph.reason = why_keep(order, request.min_gain_percent);
  if (graph.reason.empty()) {
    for (std::size_t vertex = 0; vertex < order.place_of_rank.size(); ++vertex) {
      const std::int32_t player = processes.rank_at_place[at(order.place_of_rank[vertex])];
      graph.old_rank[vertex] = player;
      graph.new_rank[at(player)] = static_cast<std::int32_t>(vertex);
      graph.moved_ranks += player != static_cast<std::int32_t>(vertex) ? 1 : 0;
    }
    graph.moved = true;
    graph.method = order.entries.front().method;
    graph.after = metrics_of_edges(request.edges, request.node_of_rank, graph.old_rank);
  }
  std::vector<std::int32_t> given(graph.old_rank.size());
  std::iota(given.begin(), given.end(), 0);
  for (const DomainLevel& level : request.above) {
    const Metrics before = metrics_of_edges(request.edges, level.domain_of_rank, given);
    const Metrics after = metrics_of_edges(request.edges, level.domain_of_rank, graph.old_rank);
    graph.above.push_back({level.name, {before.jsum, before.jmax}, {after.jsum, after.jmax}});
  }
  graph.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return graph;
}

}  // namespace marshal::mapping
