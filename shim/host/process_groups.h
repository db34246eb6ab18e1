// The process groups that this process has met: its own job (group 0), and those of spawned or connected processes.
//
// Groups are numbered by each process for itself, in the order it met them. A process is recognised by asking the host
// to translate between groups, which needs no communication: the other side may run without Marshal, so nothing may be
// exchanged with it.
#pragma once

#include <mpi.h>

#include <atomic>
#include <mutex>
#include <vector>

#include "rankmap/rank_map.h"

namespace marshal {

class ProcessGroups {
 public:
  // The job's own processes, in the order of their lpids: MPI_COMM_WORLD's group, or mpi://WORLD of the first session.
  // Takes the handle over; later calls change nothing.
  void set_world(MPI_Group world);
  bool has_world() const;
  int world_size() const { return world_size_; }
  int world_rank() const { return world_rank_; }

  // The map of any group of the host, by translation; processes never met before become a new process group.
  // Cost: the host's translation (Open MPI: members × world). The host's errors give an empty map.
  RankMap learn(MPI_Group group, MapForm form);

  // The host's group of all known processes of a process group, in the order of their lpids; kept until forget_all().
  MPI_Group host_group(std::int32_t number) const;

  int count() const { return count_.load(std::memory_order_acquire); }  // process groups met; lock free
  bool met_foreign() const { return count() > 1; }
  void forget_all();  // frees the host's groups; before MPI_Finalize

 private:
  struct Met {
    MPI_Group group;
    int size;
  };
  mutable std::mutex mutex_;
  std::vector<Met> met_;
  std::atomic<int> count_{0};  // of met_
  int world_size_ = 0, world_rank_ = -1;
};

ProcessGroups& process_groups();

// True if any process of the map belongs to another job than this process.
bool has_foreign(const RankMap& map);

}  // namespace marshal
