#include "mapping/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>
#include <unordered_map>

namespace marshal::mapping {

Problem make_problem(Grid grid, Stencil stencil, std::span<const std::int32_t> node_of_rank) {
  const std::int64_t cells = grid.cells();
  if (cells > static_cast<std::int64_t>(node_of_rank.size()))
    throw std::invalid_argument(fmt::format("{} cells for {} processes", cells, node_of_rank.size()));
  Problem problem{std::move(grid), std::move(stencil), {}, {}, Ties::first};
  problem.given.reserve(static_cast<std::size_t>(cells));
  std::unordered_map<std::int32_t, std::int32_t> index_of;  // only looked up, never walked: its order decides nothing
  std::int32_t last_name = 0, last_index = -1;
  for (std::size_t rank = 0; rank < node_of_rank.size(); ++rank) {
    if (last_index < 0 || node_of_rank[rank] != last_name) {
      last_name = node_of_rank[rank];
      const auto next = static_cast<std::int32_t>(problem.capacity.size());
      const auto [entry, is_new] = index_of.try_emplace(last_name, next);
      if (is_new) problem.capacity.push_back(0);
      last_index = entry->second;
    }
    ++problem.capacity[static_cast<std::size_t>(last_index)];
    if (static_cast<std::int64_t>(rank) < cells) problem.given.push_back(last_index);
  }
  return problem;
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
