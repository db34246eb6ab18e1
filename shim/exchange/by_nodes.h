// An exchange between all processes of a communicator in which each two nodes exchange one message each way.
//
//   1. Each process hands each leader of its node the blocks for the nodes that this one talks to.
//   2. The leaders of two nodes exchange these.
//   3. Each leader hands each process of its node the blocks that came for it.
//
// The messages are Marshal's own, on its private duplicate of the job's communicator. So nothing is made in calls of
// the program, and each wait is the host's: it drives what else the program has under way.
// Source: hierarchical all-to-all, section 2. There a node has one leader; here it has one for each other node.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "exchange/blocks.h"
#include "exchange/parcel.h"
#include "exchange/places.h"

namespace marshal::exchange {

class ByNodes {
 public:
  // `names`: the rank in `own` of each rank. Throws std::bad_alloc.
  ByNodes(const Places& places, std::vector<int> names, MPI_Comm own);
  ByNodes(const ByNodes&) = delete;
  ByNodes& operator=(const ByNodes&) = delete;

  // False where this process has no room for it.
  bool has_memory() const { return memory_ != nullptr; }
  void set_tag(int tag) { tag_ = tag; }

  struct Outcome {
    Head head;      // of all processes; if that falls back, no block has come
    bool is_whole;  // no message failed: all have the same head
    int code;       // an error of MPI's in the messages, or in what came
  };
  // Collective over the communicator. `send`: null if this process cannot take part, and the host is to do the call.
  // All blocks are packed before any is unpacked.
  Outcome run(const Blocks* send, const Blocks* receive, std::int64_t vote);

  const Places& places() const { return places_; }
  // The last call's.
  std::uint64_t messages() const { return messages_; }  // that this process sent to other nodes
  std::uint64_t bytes() const { return bytes_; }        // in them

 private:
  std::byte* take(std::size_t blocks);
  std::size_t blocks_to_process() const { return static_cast<std::size_t>(places_.processes_of(places_.own_index())); }
  std::size_t blocks_to_node(int node) const {
    return places_.members(places_.own_node()).size() * places_.members(node).size();
  }
  int name_of(int rank) const { return names_[static_cast<std::size_t>(rank)]; }
  void send(const std::byte* parcel, std::size_t bytes, int rank);
  void receive(std::vector<MPI_Request>& requests, std::byte* parcel, std::size_t blocks, int rank);
  void wait(std::vector<MPI_Request>& requests);

  void hand_to_leaders(const Blocks* send, Head own);
  void exchange_between_nodes();
  void hand_out();
  Outcome take_from_leaders(const Blocks* receive);

  const Places places_;
  const std::vector<int> names_;
  const MPI_Comm own_;
  const std::size_t longest_block_;  // that may go by nodes, in bytes; alike on all processes
  int tag_ = 0;
  // This one's part of the memory of all communicators.
  struct Reserved {
    std::size_t bytes = 0;
    ~Reserved();
  } reserved_;
  std::unique_ptr<std::byte[]> memory_;
  std::size_t taken_ = 0;

  // One for each leader: from this process to it, and back. One for each member of the node, where this process leads:
  // the same from the other side. One for each of its nodes: to it, and from it.
  std::vector<std::byte*> to_leader_, from_leader_, from_member_, to_member_, to_node_, from_node_;
  std::vector<ParcelReader> readers_;
  std::vector<ParcelWriter> writers_;
  std::vector<MPI_Request> sends_, from_members_, from_nodes_, from_leaders_;
  bool has_failed_ = false;  // a message of the last call
  std::uint64_t messages_ = 0, bytes_ = 0;
};

}  // namespace marshal::exchange
