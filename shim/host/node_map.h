// The node of each process of the job.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "host/joint_work.h"
#include "pattern/strided_sequence.h"

namespace marshal {

// lpid -> node, nodes numbered in the order of their lowest lpid. O(1) memory when ranks are placed by block or round
// robin.
class NodeMap {
 public:
  NodeMap() = default;
  // From the lowest lpid on each process's node.
  explicit NodeMap(std::span<const std::int32_t> leader_of);

  std::int32_t node_of(std::int32_t lpid) const {
    return pattern_ ? (*pattern_)(lpid) : table_[static_cast<std::size_t>(lpid)];
  }
  // The lowest lpid of a node.
  std::int32_t leader_of(std::int32_t node) const {
    std::int32_t lpid = 0;
    while (node_of(lpid) != node) ++lpid;
    return lpid;
  }
  std::int32_t processes() const { return processes_; }
  std::int32_t nodes() const { return nodes_; }  // 0: not known (no MPI_COMM_WORLD)
  std::int32_t least_per_node() const { return least_; }
  std::int32_t most_per_node() const { return most_; }
  std::size_t bytes() const { return sizeof *this + table_.size() * sizeof(std::int32_t); }

 private:
  std::optional<StridedBlocks> pattern_;
  std::vector<std::int32_t> table_;
  std::int32_t processes_ = 0, nodes_ = 0, least_ = 0, most_ = 0;
};

// The job's; empty before init. Constant from then on.
const NodeMap& node_map();

// True if MARSHAL_TOPOLOGY made the nodes up: they have no names of their own then. The same on all processes.
bool nodes_are_made_up();

// Learns the node map from MARSHAL_TOPOLOGY if that describes a made-up machine. Else it takes one split by shared
// memory, and one exchange of 4 bytes a rank. Collective over the work's communicator, which has the job's processes in
// the order of their lpids. The processor's name would not do: emulated nodes share one.
void learn_nodes(JointWork& all);

}  // namespace marshal
