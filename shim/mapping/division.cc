#include "mapping/division.h"

#include <algorithm>
#include <numeric>

#include "mapping/index.h"
#include "mapping/placement.h"
#include "mapping/race.h"

namespace marshal::mapping {

using NodeOfRank = std::vector<std::int32_t>;

void Division::fill(std::span<const std::int32_t> ranks, std::span<const std::int32_t> places, std::size_t depth) {
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

NodeOfRank Division::divide(std::span<const std::int32_t> ranks,
                            const std::vector<std::vector<std::int32_t>>& places_of) {
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
  rules.looks = std::min<std::int64_t>(rules.looks, std::ssize(ranks) * looks_a_rank_);
  const NeighbourLists traffic(static_cast<std::int32_t>(ranks.size()), sent);
  Race race(traffic, capacity, std::move(in_order), rules);
  race.run();
  return race.winner();
}

NodeOfRank divide_below(const NeighbourLists& traffic, std::span<const std::int32_t> capacity, const LevelsAbove& above,
                        std::span<const std::int32_t> outermost_of_rank, std::int64_t looks) {
  std::vector<std::int32_t> node_of_place;
  for (std::size_t node = 0; node < capacity.size(); ++node)
    node_of_place.insert(node_of_place.end(), at(capacity[node]), static_cast<std::int32_t>(node));
  std::vector<PlaceLevel> levels;
  for (std::size_t level = 1; level < above.count(); ++level) {
    levels.emplace_back();
    for (const std::int32_t node : node_of_place)
      levels.back().domain_of_place.push_back(above.domains(level)[at(node)]);
  }
  levels.push_back({{}, node_of_place});
  std::vector<std::vector<std::int32_t>> ranks_of(at(above.domain_count(0))), places_of(ranks_of.size());
  for (std::size_t rank = 0; rank < outermost_of_rank.size(); ++rank)
    ranks_of[at(outermost_of_rank[rank])].push_back(static_cast<std::int32_t>(rank));
  for (std::size_t place = 0; place < node_of_place.size(); ++place)
    places_of[at(above.domains(0)[at(node_of_place[place])])].push_back(static_cast<std::int32_t>(place));
  NodeOfRank node_of_rank(outermost_of_rank.size());
  const std::int64_t looks_a_rank = looks / std::max<std::int64_t>(1, std::ssize(node_of_rank) * std::ssize(levels));
  Division inside(traffic, levels, std::min(looks_a_rank, Division::most_looks_a_rank), node_of_rank);
  for (std::size_t domain = 0; domain < ranks_of.size(); ++domain) inside.fill(ranks_of[domain], places_of[domain]);
  for (std::int32_t& node : node_of_rank) node = node_of_place[at(node)];
  return node_of_rank;
}

}  // namespace marshal::mapping
