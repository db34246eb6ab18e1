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

}  // namespace marshal::mapping
