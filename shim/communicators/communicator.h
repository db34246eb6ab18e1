// One communicator, as the book has it.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/relaxed.h"
#include "communicators/communicator_memory.h"
#include "rankmap/rank_map.h"
#include "traffic/thread_counts.h"
#include "watch/slots.h"

namespace marshal {

struct CreationSite;

namespace books {
struct Group;
}

// Another room keeps this with a communicator. It is freed with it.
struct KeptWithCommunicator {
  virtual ~KeptWithCommunicator() = default;
};

// Where Marshal asks the host nothing (MARSHAL_RANKMAP=derived), the processes of most communicators are not known:
// these have a map of no process.
struct Communicator : OnCacheLine {
  const std::uint64_t number = ++made;  // no other one of this process has had it; never 0
  RankMap map;                          // of the group that this process is in
  std::optional<RankMap> remote;        // of an intercommunicator's other group, which its ranks mean
  bool own_job = true;                  // no process of another job is in either group; all members agree on this
  bool reordered = false;            // its parents' ranks may follow an order of Marshal's; all members agree on this
  bool counted_here = false;         // this process counts it for the job: one of its processes does
  mutable Relaxed<GridNumber> grid;  // that it is or was made from; each process has numbers of its own
  CreationSite* site = nullptr;      // who made it; null for what Marshal did not see being made
  watch::Row* row = nullptr;         // for who watches the job; null: it is not watched
  mutable Relaxed<bool> is_used;     // a message, or another call that is timed, was seen on it
  // HANDLES: topology's neighbours
  mutable std::atomic<books::Group*> group{nullptr};  // that MPI_Comm_group gives; null until it was called
  mutable std::atomic<const std::vector<std::int32_t>*> neighbours{nullptr};  // topology_neighbours.h

  // exchange/exchange.h, in calls that the program makes one at a time: how many, and what they have after many
  mutable Relaxed<std::uint32_t> exchanges;
  mutable Relaxed<bool> exchange_is_due;  // the host refused the last one, in which others may be waiting
  mutable std::unique_ptr<KeptWithCommunicator> exchange;

  Communicator() = default;
  ~Communicator() {
    delete neighbours.load(std::memory_order_relaxed);
    watch::free_row(row);
  }

  // The last 64 entries come from memory set aside, so that a process without memory still decides as the others do.
  static void* operator new(std::size_t size, std::align_val_t alignment);
  // g++ 16 would warn of a mismatch, if it saw one of the two inlined and the other not.
  [[gnu::noinline]] static void operator delete(void* communicator, std::align_val_t alignment);

  static inline std::atomic<std::uint64_t> made{0};

  bool is_known() const { return map.size() != 0; }
  const RankMap& addressed() const { return remote ? *remote : map; }
  std::size_t map_bytes() const { return map.bytes() + (remote ? remote->bytes() : 0); }
  bool shares_table() const { return map.shares_table() || (remote && remote->shares_table()); }
};

// True if the same processes have the same ranks, and both maps are kept or neither is.
bool same_processes(const RankMap& a, const RankMap& b);

// This process's rank as the map says, without asking the host; -1 where that keeps no map.
int rank_by_map(const Communicator& communicator);

// The rank in this job of a process of a group; MPI_UNDEFINED for one of another job. Frees the group.
int rank_in_job(MPI_Group group, int rank);

// True if this process counts the communicator for the job: its rank 0 does. An intercommunicator within the job is
// counted on one side only: the side whose rank 0 has the lower rank in the job. Asks the host only if no map tells.
bool counts(MPI_Comm handle, const Communicator& communicator);

}  // namespace marshal
