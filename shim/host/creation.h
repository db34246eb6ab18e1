// Accounts for the creation of communicators by call site: how many, and their cost in time and memory.
#pragma once

#include <mpi.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>

#include "base/cpu_time.h"
#include "callsites/call_frames.h"
#include "host/communicators.h"
#include "report/allocation_samples.h"
#include "report/record.h"

namespace marshal {

// The bytes that a communicator would take under the published schemes, and the part of them that grows with the job.
struct SchemeBytes {
  std::uint64_t vc_vcrt = 0, vc_vcrt_growing = 0, av_rankmap = 0, av_rankmap_growing = 0;
};

// Communicators that are equal in all that the sums above need.
struct MadeAlike {
  std::int32_t size = -1, remote_size = 0;
  bool regular = false, several_groups = false;
  bool operator==(const MadeAlike&) const = default;
};

// One place of the program that makes communicators, or windows and files, which make communicators inside the host;
// with its sums in this process.
struct CreationSite {
  const char* call;  // "MPI_Comm_split"
  CallFrames frames;
  std::mutex mutex;
  report::CommunicatorSite sums;                 // all but the samples a process gives once
  std::atomic<std::uint64_t> made{0}, freed{0};  // changed in count() under the mutex, and by count_freed() without
  std::uint64_t most_alive = 0;
  std::uint64_t map_bytes = 0, map_bytes_growing = 0;  // of all made here
  report::AllocationSamples host_bytes;                // allocated by the host, where it was measured
  std::uint64_t sampled_ns = 0, sampled_cpu_ns = 0;    // of Marshal's time here
  MadeAlike last;                                      // most sites make equal communicators again and again,
  SchemeBytes last_bytes;                              // whose bytes need not be computed again
  SchemeBytes scheme_bytes;                            // of all made here
  std::uint64_t* last_model_count = nullptr;           // in sums.models
  std::string_view last_model;
};

// Stands for sites that could not be kept for lack of memory. Not in the report.
CreationSite& unknown_site();

// Counts one communicator less at its site, after it was freed.
void count_freed(CreationSite* site);

// The sites' sums as a record's section.
void put_sites_into(report::Record& record);
// Marshal's own time so far around the calls that make communicators, all threads.
struct TimeInside {
  std::uint64_t wall_ns = 0, cpu_ns = 0;
};
TimeInside time_inside_creations();

// Whether a constructor that ended with `code` made a communicator: some of its processes may get none.
bool made(int code, const MPI_Comm* handle);

// Stands around one constructor: construct it, run the host's function through it, then enter the new communicator.
class Creation {
 public:
  // `call` is the MPI name, a literal; `caller` the return address in the program.
  Creation(const char* call, const void* caller);
  Creation(const Creation&) = delete;
  Creation& operator=(const Creation&) = delete;

  const char* call() const { return call_; }
  const CallFrames& frames() const { return site_.frames; }

  // Runs the host's function, measured.
  template <class Function>
  int run(Function&& function) {
    before_host();
    const int code = function();
    after_host();
    return code;
  }

  // Enters the new communicator in the books. `reordered`: see Communicator.
  void made(MPI_Comm handle, RankMap map, std::optional<RankMap> remote, bool own_job, bool reordered);
  // A communicator of the same processes, in the same order; it may still be under way (MPI_Comm_idup).
  void made_like(MPI_Comm handle, const Communicator& parent);

  // Counts a communicator that the host made for a window or a file on this one. Returns the site, to count its end.
  CreationSite* made_inside(const Communicator& on);

 private:
  using Clock = std::chrono::steady_clock;

  void before_host();
  void after_host();
  void enter(MPI_Comm handle, std::unique_ptr<Communicator> communicator);
  CreationSite* count(const Communicator& made, std::size_t map_bytes);
  void start_cpu_time();
  void stop_cpu_time();

  const char* call_;
  Clock::time_point entered_;  // before the site is looked for
  CreationSite& site_;
  Clock::time_point host_began_, host_ended_;
  bool measures_memory_ = false;
  std::uint64_t memory_before_ = 0, memory_after_ = 0;
  std::uint64_t cpu_weight_;  // communicators that this one's CPU time stands for; 0: not measured
  CpuStopwatch cpu_;
};

}  // namespace marshal
