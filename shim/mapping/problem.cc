#include "mapping/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>
#include <unordered_map>

namespace marshal::mapping {

NumberedNodes::NumberedNodes(std::span<const std::int32_t> node_of_rank) {
  of_rank.reserve(node_of_rank.size());
  std::unordered_map<std::int32_t, std::int32_t> number_of;  // only looked up, never walked: its order decides nothing
  for (std::size_t rank = 0; rank < node_of_rank.size(); ++rank) {
    const std::int32_t name = node_of_rank[rank];
    if (rank > 0 && name == node_of_rank[rank - 1]) {
      of_rank.push_back(of_rank.back());
    } else {
      const auto [entry, is_new] = number_of.try_emplace(name, static_cast<std::int32_t>(capacity.size()));
      if (is_new) capacity.push_back(0);
      of_rank.push_back(entry->second);
    }
    ++capacity[static_cast<std::size_t>(of_rank.back())];
  }
}

Problem make_problem(Grid grid, Stencil stencil, std::span<const std::int32_t> node_of_rank) {
  const std::int64_t cells = grid.cells();
  if (cells > std::ssize(node_of_rank))
    throw std::invalid_argument(fmt::format("{} cells for {} processes", cells, node_of_rank.size()));
  NumberedNodes nodes(node_of_rank);
  nodes.of_rank.resize(static_cast<std::size_t>(cells));
  return {std::move(grid), std::move(stencil), std::move(nodes.capacity), std::move(nodes.of_rank), Ties::first};
}

std::optional<std::int32_t> equal_node_size(const Problem& problem) {
  if (problem.capacity.empty()) return std::nullopt;
  const std::int32_t size = problem.capacity.front();
  const bool equal = std::all_of(problem.capacity.begin(), problem.capacity.end(), [=](auto c) { return c == size; });
  if (!equal || problem.cells() % size != 0) return std::nullopt;
  return size;
}

std::vector<NodeShare> node_shares(const Problem& problem, NodeOrder order) {
  const auto& capacity = problem.capacity;
  std::vector<std::int32_t> nodes(capacity.size());
  std::iota(nodes.begin(), nodes.end(), 0);
  const auto offers = [&](std::int32_t node) { return capacity[static_cast<std::size_t>(node)]; };
  std::map<std::int32_t, std::int64_t> how_many;
  if (order == NodeOrder::commonest_first)
    for (const std::int32_t c : capacity) ++how_many[c];
  std::stable_sort(nodes.begin(), nodes.end(), [&](std::int32_t a, std::int32_t b) {
    switch (order) {
      case NodeOrder::as_given:
        return false;
      case NodeOrder::descending:
        return offers(a) > offers(b);
      case NodeOrder::ascending:
        return offers(a) < offers(b);
      case NodeOrder::commonest_first:
        break;
    }
    const std::int64_t more_a = how_many[offers(a)], more_b = how_many[offers(b)];
    return more_a != more_b ? more_a > more_b : offers(a) > offers(b);
  });
  std::vector<NodeShare> shares;
  std::int64_t left = problem.cells();
  for (const std::int32_t node : nodes) {
    if (left == 0) break;
    const auto cells = static_cast<std::int32_t>(std::min<std::int64_t>(left, offers(node)));
    shares.push_back({node, cells});
    left -= cells;
  }
  return shares;
}

MapperResult given_order(const Problem& problem) { return {problem.given, {}, {}}; }

}  // namespace marshal::mapping
