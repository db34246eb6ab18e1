// Accounts for the creation of communicators by call site: how many, and their cost in time and memory.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/cpu_time.h"
#include "communicators/communicator.h"
#include "communicators/communicators_in_use.h"
#include "communicators/creation_site.h"

namespace marshal {

// True if a constructor that ended with `code` made a communicator for this process. Some of its processes may get
// none.
bool made(int code, const MPI_Comm* handle);

// Stands around one constructor: construct it, run the host's function through it, then enter the new communicator.
class Creation {
 public:
  // `call` is the MPI name, a literal; `caller` the return address in the program.
  Creation(const char* call, const void* caller);
  Creation(const Creation&) = delete;
  Creation& operator=(const Creation&) = delete;

  const char* call() const { return call_; }
  // All processes of `parent` make the call, and the new communicator may have a part of them. Valid until made().
  void divides(const Communicator& parent) { parent_ = &parent; }
  const CallFrames& frames() const { return site_.frames; }

  // Runs the host's function, measured.
  template <class Function>
  int run(Function&& function) {
    before_host();
    const int code = function();
    after_host();
    return code;
  }

  // Enters the new communicator in the books. `reordered`, `grid`: see Communicator.
  void made(MPI_Comm handle, RankMap map, std::optional<RankMap> remote, bool own_job, bool reordered,
            GridNumber grid = 0);
  // A communicator of the same processes, in the same order; it may still be under way (MPI_Comm_idup).
  void made_like(MPI_Comm handle, const Communicator& parent);

  // Where the host is not to be asked: one whose processes are not known,
  void made_unknown(MPI_Comm handle);
  // and one of the parent's first `size` ranks; 0: it is unknown, as it is where the parent is, or has no entry (null).
  // Does not throw.
  void made_of_first(std::int64_t size, const Communicator* parent, MPI_Comm handle) noexcept;

  // Counts a communicator that the host made for a window or a file on this one. Returns the site, to count its end.
  CreationSite* made_inside(const Communicator& on);

 private:
  using Clock = std::chrono::steady_clock;

  void before_host();
  void after_host();
  void enter(MPI_Comm handle, std::unique_ptr<Communicator> communicator);
  watch::Row* watched_row(const Communicator& made) const;
  CreationSite* count(const Communicator& made, std::size_t map_bytes);
  int speaker_of(const Communicator& made) const;
  void count_at_site(const Communicator& made, std::size_t map_bytes);
  void count_known(const Communicator& made, std::size_t map_bytes);
  void start_cpu_time();
  void stop_cpu_time();

  const char* call_;
  Clock::time_point entered_;  // before the site is looked for
  CreationSite& site_;
  const Communicator* parent_ = nullptr;  // that is divided
  bool is_nested_ = false;                // a duplicate of what was made at this site
  Clock::time_point host_began_, host_ended_;
  bool measures_memory_ = false;
  std::uint64_t memory_before_ = 0, memory_after_ = 0;
  std::uint64_t cpu_weight_;  // communicators that this one's CPU time stands for; 0: not measured
  CpuStopwatch cpu_;
};

}  // namespace marshal
