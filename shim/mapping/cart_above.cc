#include "mapping/cart_above.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "mapping/annealing.h"
#include "mapping/exchange.h"
#include "mapping/index.h"
#include "mapping/shifted_runs.h"

namespace marshal::mapping {
namespace {

using NodeOfCells = std::vector<std::int32_t>;

constexpr std::int64_t looks_an_exchange = 6;  // they take about as long

NeighbourLists traffic_of_nodes(const Problem& problem, const NodeOfCells& node_of_cell) {
  std::vector<Sent> sent;
  for (const Step& step : problem.stencil.steps)
    ShiftedRuns(problem.grid, step.offset).for_each([&](std::int64_t first, std::int64_t shift, std::int64_t count) {
      for (std::int64_t cell = first; cell < first + count; ++cell) {
        const std::int32_t from = node_of_cell[at(cell)], to = node_of_cell[at(cell + shift)];
        if (from == to) continue;
        if (!sent.empty() && sent.back().from == from && sent.back().to == to)
          sent.back().weight += step.weight;
        else
          sent.push_back({from, to, step.weight});
      }
    });
  return NeighbourLists(problem.nodes(), sent);
}

}  // namespace

WeightedSum weighted(std::int64_t jsum, std::span<const AboveGain> above) {
  auto sum = static_cast<WeightedSum>(jsum);
  for (std::size_t level = 0; level < above.size(); ++level)
    sum += factor_of(level, above.size()) * static_cast<WeightedSum>(above[level].after.jsum);
  return sum;
}

CartAbove::CartAbove(const Problem& problem, std::span<const DomainLevel> levels,
                     std::span<const std::int32_t> node_of_rank)
    : problem_(problem), levels_(levels_of_nodes(levels, NumberedNodes(node_of_rank)), problem.capacity) {
  for (const DomainLevel& level : levels) names_.push_back(level.name);
}

NodeOfCells CartAbove::domains_of(std::size_t level, std::span<const std::int32_t> node_of_cell) const {
  NodeOfCells domains;
  domains.reserve(node_of_cell.size());
  for (const std::int32_t node : node_of_cell) domains.push_back(levels_.domains(level)[at(node)]);
  return domains;
}

std::vector<AboveGain> CartAbove::gains(std::span<const std::int32_t> node_of_cell) const {
  std::vector<AboveGain> list;
  const auto traffic_at = [&](std::size_t level, std::span<const std::int32_t> nodes) {
    return traffic_of(problem_.grid, problem_.stencil, domains_of(level, nodes), levels_.domain_count(level));
  };
  for (std::size_t level = 0; level < names_.size(); ++level)
    list.push_back({names_[level], traffic_at(level, problem_.given), traffic_at(level, node_of_cell)});
  return list;
}

void CartAbove::keep_in_place(std::span<std::int32_t> node_of_cell) const {
  levels_.keep_in_place(problem_.given, node_of_cell);
}

NodeOfCells CartAbove::with_best_names(NodeOfCells node_of_cell) const {
  const auto names = levels_.best_names(traffic_of_nodes(problem_, node_of_cell));
  for (std::int32_t& node : node_of_cell) node = names[at(node)];
  return node_of_cell;
}

NodeOfCells CartAbove::level_by_level(const ContestRules& rules, const Team& team) const {
  Problem outermost{problem_.grid, problem_.stencil, {}, domains_of(0, problem_.given), problem_.ties};
  outermost.capacity.resize(at(levels_.domain_count(0)));
  for (std::size_t node = 0; node < problem_.capacity.size(); ++node)
    outermost.capacity[at(levels_.domains(0)[node])] += problem_.capacity[node];
  const Traffic given = traffic_of(outermost.grid, outermost.stencil, outermost.given, outermost.nodes());
  const ContestResult domains = propose(outermost, rules, team, given);
  const NeighbourLists neighbours(problem_.grid, problem_.stencil);
  return levels_.divided_below(neighbours, domains.node_of_cell, rules.exchanges * looks_an_exchange);
}

bool CartAbove::is_no_worse(std::span<const std::int32_t> node_of_cell, const Stencil& stencil) const {
  const auto holds = [&](std::span<const std::int32_t> given, std::span<const std::int32_t> now, std::int32_t count) {
    const Traffic before = traffic_of(problem_.grid, stencil, given, count);
    const Traffic after = traffic_of(problem_.grid, stencil, now, count);
    // As in the contest, the busiest one counts by the problem's own stencil only.
    return after.jsum <= before.jsum && (&stencil != &problem_.stencil || after.jmax <= before.jmax);
  };
  if (!holds(problem_.given, node_of_cell, problem_.nodes())) return false;
  for (std::size_t level = 0; level < levels_.count(); ++level)
    if (!holds(domains_of(level, problem_.given), domains_of(level, node_of_cell), levels_.domain_count(level)))
      return false;
  return true;
}

ContestResult CartAbove::improved(ContestResult found, const ContestRules& rules, const Team& team) const {
  if (empty() || found.node_of_cell.empty() || rules.mapper == Mapper::given) return found;
  if (rules.mapper != Mapper::best && rules.mapper != Mapper::search) {
    found.node_of_cell = with_best_names(std::move(found.node_of_cell));
    return found;
  }
  std::vector<std::pair<NodeOfCells, std::string_view>> proposals{{found.node_of_cell, ""}};
  proposals.emplace_back(with_best_names(found.node_of_cell), "whole nodes moved");
  proposals.emplace_back(with_best_names(problem_.given), "whole nodes moved");
  if (problem_.cells() <= most_cells_to_anneal) {
    NodeOfCells divided = level_by_level(rules, team);
    proposals.emplace_back(with_best_names(divided), "level by level");
    exchange_cells(NeighbourLists(problem_.grid, problem_.stencil), problem_.capacity, divided, exchange_rounds);
    proposals.emplace_back(with_best_names(std::move(divided)), "level by level");
  }
  // The first of equal ones; the order given where none is better.
  const auto standing = [&](const NodeOfCells& nodes) {
    const Traffic traffic = traffic_of(problem_.grid, problem_.stencil, nodes, problem_.nodes());
    return std::pair(weighted(traffic.jsum, gains(nodes)), traffic.jmax);
  };
  std::size_t best = proposals.size();
  auto least = standing(problem_.given);
  for (std::size_t i = 0; i < proposals.size(); ++i) {
    const NodeOfCells& nodes = proposals[i].first;
    const bool may_win =
        is_no_worse(nodes, problem_.stencil) &&
        std::ranges::all_of(rules.no_worse_by, [&](const Stencil& s) { return is_no_worse(nodes, s); });
    if (const auto its = standing(nodes); may_win && its < least) {
      least = its;
      best = i;
    }
  }
  if (best == 0) return found;
  const bool is_given = best == proposals.size();
  if (best > 1 || found.winner == Mapper::given) {
    found.winner = is_given ? Mapper::given : Mapper::levels;
    found.detail.clear();
  }
  if (is_given) {
    found.node_of_cell = problem_.given;
    return found;
  }
  found.node_of_cell = std::move(proposals[best].first);
  found.detail += fmt::format("{}{}", found.detail.empty() ? "" : ", ", proposals[best].second);
  return found;
}

}  // namespace marshal::mapping
