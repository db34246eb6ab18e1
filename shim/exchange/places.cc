#include "exchange/places.h"

#include <algorithm>
#include <map>

namespace marshal::exchange {

Places::Places(std::span<const std::int32_t> node_of, int self) : processes_(static_cast<int>(node_of.size())) {
  std::map<std::int32_t, int> number;
  for (int rank = 0; rank < processes_; ++rank) {
    const auto [at, is_new] = number.try_emplace(node_of[static_cast<std::size_t>(rank)], nodes());
    if (is_new) members_.emplace_back();
    std::vector<int>& all = members_[static_cast<std::size_t>(at->second)];
    if (rank == self) {
      own_node_ = at->second;
      own_index_ = static_cast<int>(all.size());
    }
    all.push_back(rank);
  }
  leaders_ = nodes();
  for (const std::vector<int>& all : members_) leaders_ = std::min(leaders_, static_cast<int>(all.size()));
  nodes_of_.resize(static_cast<std::size_t>(leaders_));
  processes_of_.resize(static_cast<std::size_t>(leaders_));
  for (int node = 0; node < nodes(); ++node) {
    const auto leader = static_cast<std::size_t>(leader_index(own_node_, node));
    nodes_of_[leader].push_back(node);
    processes_of_[leader] += static_cast<int>(members(node).size());
  }
}

std::size_t Places::most_blocks_of_leader() const {
  std::size_t most = 0;  // processes of a node
  for (const std::vector<int>& all : members_) most = std::max(most, all.size());
  const auto nodes_of_leader = static_cast<std::size_t>((nodes() + leaders_ - 1) / leaders_);
  // From and to the members of its node, from and to the leaders of others; and its own.
  return 4 * most * most * nodes_of_leader + 2 * static_cast<std::size_t>(processes_);
}

}  // namespace marshal::exchange
