// The places in the program where communicators are made, with their sums in this process.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>

#include "callsites/call_frames.h"
#include "record/allocation_samples.h"
#include "record/record.h"

namespace marshal {

// Bytes, and the part of them that grows with the job.
struct Bytes {
  std::uint64_t all = 0, growing = 0;
  void operator+=(const Bytes& more) {
    all += more.all;
    growing += more.growing;
  }
};

// What a communicator would take under the published schemes.
struct SchemeBytes {
  Bytes vc_vcrt, av_rankmap;
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
  std::atomic<std::uint64_t> never_used{0};          // of those freed
  Bytes map_bytes;                                   // of all made here
  report::AllocationSamples host_bytes;              // allocated by the host, where it was measured
  std::uint64_t sampled_ns = 0, sampled_cpu_ns = 0;  // of Marshal's time here
  MadeAlike last;                                    // most sites make equal communicators again and again,
  SchemeBytes last_bytes;                            // whose bytes need not be computed again
  SchemeBytes scheme_bytes;                          // of all made here
  std::uint64_t* last_model_count = nullptr;         // in sums.models
  std::string_view last_model;
};

// Communicators of the program that are alive, those of its windows and files included, and what Marshal and the host
// make beside them.
inline constinit std::atomic<std::uint64_t> communicators_alive{0};

// The site of a call, by its MPI name, a literal; unknown_site() where there is no memory for one.
CreationSite& site_at(const char* call, const CallFrames& frames);
// Stands for sites that could not be kept for lack of memory. Not in the report.
CreationSite& unknown_site();

// The least bytes that the host allocated for equal communicators, over all sites.
report::LeastAllocations& least_allocations();

// Counts one communicator, window or file less at its site, after it was freed; a null site is none.
void count_freed(CreationSite* site) noexcept;
// The same, of a communicator on which no message and no call was seen.
void count_freed_unused(CreationSite* site) noexcept;

// The sites' sums as a record's section. `unused`: of the communicators that are alive, those on which no message and
// no call was seen; nothing where those are not watched.
void put_sites_into(report::Record& record, const std::optional<std::map<const CreationSite*, std::uint64_t>>& unused);
// Calls visit(const CreationSite&) for all so far: only what is atomic may be read. No site is made meanwhile.
void each_creation_site(const std::function<void(const CreationSite&)>& visit);
// Marshal's own time so far around the calls that make communicators, all threads.
struct TimeInside {
  std::uint64_t wall_ns = 0, cpu_ns = 0;
};
TimeInside time_inside_creations();

}  // namespace marshal
