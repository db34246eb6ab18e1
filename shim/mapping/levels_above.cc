#include "mapping/levels_above.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "mapping/division.h"
#include "mapping/exchange.h"
#include "mapping/index.h"

namespace marshal::mapping {
namespace {

using Numbers = std::vector<std::int32_t>;

constexpr std::int64_t looks_a_node = 10'000;

// Small numbers for values, in the order in which they are first asked for.
template <class Value>
class Numbered {
 public:
  std::int32_t operator()(Value value) {
    return number_of_.try_emplace(std::move(value), static_cast<std::int32_t>(number_of_.size())).first->second;
  }

 private:
  std::map<Value, std::int32_t> number_of_;
};

// Nodes, or domains of them, of one kind trade names, so that as many ranks as possible stay where they were.
Numbers names_in_place(std::span<const std::int32_t> kind, std::span<const std::int32_t> given,
                       std::span<const std::int32_t> nodes) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> ranks_on;  // both nodes, the new and the old one
  for (std::size_t rank = 0; rank < nodes.size(); ++rank)
    if (kind[at(nodes[rank])] == kind[at(given[rank])]) ++ranks_on[{nodes[rank], given[rank]}];
  // Rank 0 first: programs read and write there.
  if (!nodes.empty() && ranks_on.contains({nodes[0], given[0]}))
    ranks_on[{nodes[0], given[0]}] = std::numeric_limits<std::int64_t>::max();
  std::vector<std::pair<std::pair<std::int32_t, std::int32_t>, std::int64_t>> overlaps(ranks_on.begin(),
                                                                                       ranks_on.end());
  std::stable_sort(overlaps.begin(), overlaps.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  Numbers name_of(kind.size(), -1);
  std::vector<bool> taken(kind.size(), false);
  for (const auto& [both, ranks] : overlaps)
    if (const auto [node, name] = both; name_of[at(node)] < 0 && !taken[at(name)]) {
      name_of[at(node)] = name;
      taken[at(name)] = true;
    }
  // The other nodes get the free names in order, each a name of a node of its kind.
  std::vector<std::pair<std::int32_t, std::int32_t>> names, unnamed;
  for (std::int32_t node = 0; node < std::ssize(kind); ++node) {
    if (!taken[at(node)]) names.emplace_back(kind[at(node)], node);
    if (name_of[at(node)] < 0) unnamed.emplace_back(kind[at(node)], node);
  }
  std::sort(names.begin(), names.end());
  std::sort(unnamed.begin(), unnamed.end());
  for (std::size_t i = 0; i < names.size(); ++i) name_of[at(unnamed[i].second)] = names[i].second;
  return name_of;
}

Numbers taken_from(std::span<const std::int32_t> table, std::span<const std::int32_t> places) {
  Numbers values;
  values.reserve(places.size());
  for (const std::int32_t place : places) values.push_back(table[at(place)]);
  return values;
}

}  // namespace

LevelsAbove::LevelsAbove(std::span<const NodeLevel> levels, std::span<const std::int32_t> capacity)
    : capacity_(capacity.begin(), capacity.end()) {
  Numbers around(capacity.size(), 0);
  for (const NodeLevel& given : levels) {
    if (given.domain_of_node.size() != capacity.size())
      throw std::invalid_argument("a level above the nodes is not one of all nodes");
    Level level;
    Numbered<std::pair<std::int32_t, std::int32_t>> number;
    for (std::size_t node = 0; node < capacity.size(); ++node) {
      level.domain_of.push_back(number({around[node], given.domain_of_node[node]}));
      if (level.domain_of.back() < level.domains) continue;
      ++level.domains;
      level.parent.push_back(around[node]);
    }
    around = level.domain_of;
    levels_.push_back(std::move(level));
  }
  find_shapes();
}

// From the innermost level outwards.
void LevelsAbove::find_shapes() {
  Numbers shape_of_part = capacity_, parts(capacity_.size());  // of the level below: nodes at first
  std::iota(parts.begin(), parts.end(), 0);
  std::vector<Numbers> nodes_of_part;
  for (const std::int32_t node : parts) nodes_of_part.push_back({node});
  for (std::size_t k = levels_.size(); k-- > 0;) {
    Level& level = levels_[k];
    const Numbers& domain_of_part = k + 1 == levels_.size() ? level.domain_of : levels_[k + 1].parent;
    std::stable_sort(parts.begin(), parts.end(),
                     [&](std::int32_t a, std::int32_t b) { return shape_of_part[at(a)] < shape_of_part[at(b)]; });
    std::vector<Numbers> shapes(at(level.domains));
    level.nodes.resize(at(level.domains));
    for (const std::int32_t part : parts) {
      const auto domain = at(domain_of_part[at(part)]);
      shapes[domain].push_back(shape_of_part[at(part)]);
      level.nodes[domain].insert(level.nodes[domain].end(), nodes_of_part[at(part)].begin(),
                                 nodes_of_part[at(part)].end());
    }
    Numbered<Numbers> number;
    for (const Numbers& shape : shapes) level.shape.push_back(number(shape));
    shape_of_part = level.shape;
    nodes_of_part = level.nodes;
    parts.resize(at(level.domains));
    std::iota(parts.begin(), parts.end(), 0);
  }
}

std::vector<Crossing> LevelsAbove::crossings(const NeighbourLists& traffic, std::span<const std::int32_t> nodes) const {
  std::vector<Crossing> all;
  for (const Level& level : levels_)
    all.push_back(crossing_of(traffic, taken_from(level.domain_of, nodes), level.domains));
  return all;
}

WeightedSum LevelsAbove::cost(const NeighbourLists& between_nodes, std::span<const std::int32_t> names) const {
  WeightedSum sum = 0;
  const std::vector<Crossing> all = crossings(between_nodes, names);
  for (std::size_t level = 0; level < all.size(); ++level)
    sum += factor(level) * static_cast<WeightedSum>(all[level].between_nodes);
  return sum;
}

std::vector<std::int32_t> LevelsAbove::best_names(const NeighbourLists& between_nodes) const {
  Numbers own(capacity_.size());
  std::iota(own.begin(), own.end(), 0);
  std::vector<Numbers> proposals{own};
  if (std::adjacent_find(capacity_.begin(), capacity_.end(), std::not_equal_to<>()) == capacity_.end()) {
    std::vector<PlaceLevel> levels;
    for (const Level& level : levels_) levels.push_back({{}, level.domain_of});
    Numbers divided = own;
    Division(between_nodes, levels, looks_a_node, divided).fill(own, own);
    proposals.push_back(std::move(divided));
  }
  Numbers best = own;
  WeightedSum least = cost(between_nodes, own);
  for (Numbers& names : proposals) {
    exchange_nodes(between_nodes, names);
    const WeightedSum sum = cost(between_nodes, names);
    if (sum >= least) continue;
    least = sum;
    best = std::move(names);
  }
  return best;
}

// At each level, within the domains of the one around it.
void LevelsAbove::exchange_nodes(const NeighbourLists& between_nodes, Numbers& names) const {
  Numbers around(names.size(), 0);
  for (const Level& level : levels_) {
    Numbered<std::pair<std::int32_t, std::int32_t>> number;
    Numbers kind, room(at(level.domains), 0);
    for (std::size_t node = 0; node < names.size(); ++node) kind.push_back(number({around[node], capacity_[node]}));
    for (const std::int32_t domain : level.domain_of) ++room[at(domain)];
    const Numbers before = taken_from(level.domain_of, names);
    Numbers after = before;
    exchange_cells(between_nodes, room, after, exchange_rounds, kind);
    // As many nodes of a kind come to a domain as leave it: they get the names of those.
    std::map<std::pair<std::int32_t, std::int32_t>, Numbers> left;
    for (std::size_t node = names.size(); node-- > 0;)
      if (after[node] != before[node]) left[{before[node], kind[node]}].push_back(names[node]);
    for (std::size_t node = 0; node < names.size(); ++node)
      if (after[node] != before[node]) {
        Numbers& free = left[{after[node], kind[node]}];
        names[node] = free.back();
        free.pop_back();
      }
    around = std::move(after);
  }
}

Numbers LevelsAbove::divided_below(const NeighbourLists& traffic, std::span<const std::int32_t> outermost_of_rank,
                                   std::int64_t looks) const {
  Numbers node_of_place;
  for (std::size_t node = 0; node < capacity_.size(); ++node)
    node_of_place.insert(node_of_place.end(), at(capacity_[node]), static_cast<std::int32_t>(node));
  std::vector<PlaceLevel> levels;
  for (std::size_t level = 1; level < levels_.size(); ++level)
    levels.push_back({{}, taken_from(levels_[level].domain_of, node_of_place)});
  levels.push_back({{}, node_of_place});
  std::vector<Numbers> ranks_of(at(levels_.front().domains)), places_of(ranks_of.size());
  for (std::size_t rank = 0; rank < outermost_of_rank.size(); ++rank)
    ranks_of[at(outermost_of_rank[rank])].push_back(static_cast<std::int32_t>(rank));
  for (std::size_t place = 0; place < node_of_place.size(); ++place)
    places_of[at(domains(0)[at(node_of_place[place])])].push_back(static_cast<std::int32_t>(place));
  Numbers place_of_rank(outermost_of_rank.size());
  const std::int64_t looks_a_rank = looks / std::max<std::int64_t>(1, std::ssize(place_of_rank) * std::ssize(levels));
  Division inside(traffic, levels, std::min(looks_a_rank, Division::most_looks_a_rank), place_of_rank);
  for (std::size_t domain = 0; domain < ranks_of.size(); ++domain) inside.fill(ranks_of[domain], places_of[domain]);
  return taken_from(node_of_place, place_of_rank);
}

Numbers LevelsAbove::level_by_level(const NeighbourLists& traffic, std::span<const std::int32_t> given,
                                    const OrderRules& rules) const {
  Numbers room(at(levels_.front().domains), 0);
  for (std::size_t node = 0; node < capacity_.size(); ++node) room[at(domains(0)[node])] += capacity_[node];
  Race outermost(traffic, room, taken_from(domains(0), given), rules);
  outermost.run();
  return divided_below(traffic, outermost.winner(), rules.looks);
}

Surroundings LevelsAbove::around(const NeighbourLists& traffic, const OrderRules& rules) const {
  Surroundings around;
  for (std::size_t level = 0; level < levels_.size(); ++level) around.factors.push_back(factor(level));
  around.crossings = [&](Surroundings::Nodes nodes) { return crossings(traffic, nodes); };
  around.best_names = [this](const NeighbourLists& between_nodes) { return best_names(between_nodes); };
  around.level_by_level = [&](Surroundings::Nodes given) { return level_by_level(traffic, given, rules); };
  return around;
}

void LevelsAbove::keep_in_place(std::span<const std::int32_t> given, std::span<std::int32_t> nodes) const {
  const auto rename = [&](const Numbers& name_of) {
    for (std::int32_t& node : nodes) node = name_of[at(node)];
  };
  for (const Level& level : levels_) {
    Numbered<std::pair<std::int32_t, std::int32_t>> number;
    Numbers kind;
    for (std::size_t domain = 0; domain < level.parent.size(); ++domain)
      kind.push_back(number({level.parent[domain], level.shape[domain]}));
    const Numbers name_of_domain =
        names_in_place(kind, taken_from(level.domain_of, given), taken_from(level.domain_of, nodes));
    Numbers name_of(capacity_.size());
    for (std::size_t domain = 0; domain < level.nodes.size(); ++domain)
      for (std::size_t i = 0; i < level.nodes[domain].size(); ++i)
        name_of[at(level.nodes[domain][i])] = level.nodes[at(name_of_domain[domain])][i];
    rename(name_of);
  }
  Numbers kind = capacity_;
  if (!empty()) {
    Numbered<std::pair<std::int32_t, std::int32_t>> number;
    for (std::size_t node = 0; node < kind.size(); ++node)
      kind[node] = number({levels_.back().domain_of[node], capacity_[node]});
  }
  rename(names_in_place(kind, given, nodes));
}

}  // namespace marshal::mapping
