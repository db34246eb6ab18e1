#include "mapping/plan_order.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "mapping/index.h"

namespace marshal::mapping {
namespace {

using NodeOfRank = std::vector<std::int32_t>;

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

}  // namespace

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

  const LevelsAbove above(request.above, request.capacity);
  Race race(request.traffic, request.capacity, given, request.rules, above.around(request.traffic, request.rules));
  race.run();
  NodeOfRank nodes = race.winner();
  above.keep_in_place(given, nodes);

  Order order;
  order.entries = race.entries();
  const auto count = static_cast<std::int32_t>(request.capacity.size());
  order.before = crossing_of(request.traffic, given, count);
  order.after = crossing_of(request.traffic, nodes, count);
  order.above_before = above.crossings(request.traffic, given);
  order.above_after = above.crossings(request.traffic, nodes);
  order.level_before = weights_between(request.traffic, request.levels, given, request.given);

  std::vector<std::vector<std::int32_t>> ranks_of(request.capacity.size());
  for (std::size_t rank = 0; rank < ranks; ++rank) ranks_of[at(nodes[rank])].push_back(static_cast<std::int32_t>(rank));
  order.place_of_rank.assign(request.given.begin(), request.given.end());
  Division inside(request.traffic, request.levels, Division::most_looks_a_rank, order.place_of_rank);
  std::int32_t first = 0;
  for (std::size_t node = 0; node < request.capacity.size(); ++node) {
    std::vector<std::int32_t> places(at(request.capacity[node]));
    std::iota(places.begin(), places.end(), first);
    first += request.capacity[node];
    inside.fill(ranks_of[node], places);
  }
  order.level_after = weights_between(request.traffic, request.levels, nodes, order.place_of_rank);
  // An order that gains nothing is the one given.
  if (order.after == order.before && order.above_after == order.above_before &&
      order.level_after >= order.level_before) {
    order.place_of_rank.assign(request.given.begin(), request.given.end());
    order.after = order.before;
    order.level_after = order.level_before;
  }
  order.moved = !std::equal(order.place_of_rank.begin(), order.place_of_rank.end(), request.given.begin());
  return order;
}

}  // namespace marshal::mapping
