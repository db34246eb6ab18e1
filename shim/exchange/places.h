// The nodes of the processes of a communicator, and the processes that talk for one node to another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace marshal::exchange {

// Nodes are numbered in the order of their lowest rank, and the ranks of a node ascend. All processes of the
// communicator compute the same.
class Places {
 public:
  // `node_of`: of each rank, any number of its node.
  Places(std::span<const std::int32_t> node_of, int self);

  int processes() const { return processes_; }
  int nodes() const { return static_cast<int>(members_.size()); }
  int own_node() const { return own_node_; }
  int own_index() const { return own_index_; }  // in members(own_node())
  int self() const { return members(own_node_)[static_cast<std::size_t>(own_index_)]; }
  std::span<const int> members(int node) const { return members_[static_cast<std::size_t>(node)]; }

  // Members 0 to leaders() - 1 of each node lead. Two nodes exchange one message each way, by the same member of both.
  int leaders() const { return leaders_; }
  int leader_index(int node, int other) const { return (node + other) % leaders_; }
  // The nodes, its own among them, that this member of this process's node exchanges with; ascending.
  std::span<const int> nodes_of(int leader) const { return nodes_of_[static_cast<std::size_t>(leader)]; }
  // Processes on these nodes.
  int processes_of(int leader) const { return processes_of_[static_cast<std::size_t>(leader)]; }
  // Blocks in the parcels of any leader of any node, at most. Alike on all processes.
  std::size_t most_blocks_of_leader() const;
  // True if this process leads; then nodes_of(own_index()) has a node.
  bool leads() const { return own_index_ < leaders_; }

  // True if fewer messages cross between nodes than one for each two processes.
  bool save_messages() const { return nodes() > 1 && processes_ > nodes(); }

 private:
  std::vector<std::vector<int>> members_, nodes_of_;
  std::vector<int> processes_of_;
  int processes_, leaders_ = 1, own_node_ = 0, own_index_ = 0;
};

}  // namespace marshal::exchange
