// Datatypes, groups, operations, keyvals or persistent requests that one place of the program makes. The requests of
// all nonblocking calls are counted in the same way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "record/fields.h"

namespace marshal::report {

// A sample for each process that made any there.
struct ObjectSite {
  Spread made{};
  Spread alive{};        // not freed when the record was taken; no sample: nobody knows
  Spread most_alive{};   // at once; no sample: nobody counted it
  std::string symbol{};  // as of a communicator's site

  MARSHAL_FIELDS(symbol, made, alive, most_alive);
  void merge(const ObjectSite& other) { merge_fields(*this, other); }
  // Adds one more place of this process that has the same row: without call sites, all places of a call have. The row
  // keeps one sample. How many of all places were alive at once is not known then.
  void add_place(std::uint64_t made_there, std::uint64_t alive_there, std::optional<std::uint64_t> most_alive_there);
  auto operator<=>(const ObjectSite&) const = default;
};

// In the place of a call: all that make a request which is no persistent one.
inline constexpr const char* nonblocking_calls = "nonblocking calls";

// Names what a call makes: "datatypes", "groups", "windows", …
std::string_view objects_of(std::string_view call);
// The call that frees those: "MPI_Type_free".
std::string_view call_that_frees(std::string_view call);

// The communicators made at one call site, and the memory that they take.

// Bytes in a process, and the part of them that grows with the number of ranks.
struct Memory {
  Spread per_process{};         // bytes; a sample a process
  std::uint64_t growing = 0;    // of the sum, the bytes that are proportional to the number of ranks of the job
  std::uint64_t at_most = 0;    // samples that may hold bytes of the host's own buffers, too
  std::string unavailable{};    // why there is no sample: "malloc is replaced by the program"; empty otherwise
  std::string not_projected{};  // why other numbers of ranks cannot be projected; empty otherwise

  // One process's bytes.
  void add(std::uint64_t bytes, std::uint64_t growing_bytes) {
    per_process.add(bytes);
    growing += growing_bytes;
  }
  void merge(const Memory& other) {
    per_process.merge(other.per_process);
    growing += other.growing;
    at_most += other.at_most;
    unavailable = std::max(unavailable, other.unavailable);
    not_projected = std::max(not_projected, other.not_projected);
  }
  bool available() const { return per_process.samples != 0; }
  bool can_be_projected() const { return available() && not_projected.empty(); }
  // The mean of a process if the job had `to` ranks in place of `from`.
  double projected(std::uint64_t from, std::uint64_t to) const {
    if (per_process.samples == 0 || from == 0) return 0;
    const double factor = static_cast<double>(to) / static_cast<double>(from), growth = static_cast<double>(growing);
    return (static_cast<double>(per_process.sum) - growth + growth * factor) / static_cast<double>(per_process.samples);
  }

  MARSHAL_NAMED_FIELDS("per_process_bytes, growing_bytes, at_most, unavailable, not_projected", per_process, growing,
                       at_most, unavailable, not_projected);
  auto operator<=>(const Memory&) const = default;
};

struct CommunicatorSite {
  std::uint64_t communicators = 0;                // distinct ones: each counted by its rank 0
  std::uint64_t not_known = 0;                    // memberships of others, whose processes are not known
  Spread made{};                                  // a sample a process: how many it became a member of
  Spread freed{};                                 // a sample a process
  Spread alive{};                                 // a sample a process: not freed when the record was taken
  Spread most_alive{};                            // a sample a process: at once
  std::uint64_t never_used = 0;                   // memberships of communicators on which this process did nothing
  std::uint64_t like_parent = 0;                  // memberships of splits with the parent's processes, in its order
  std::uint64_t nested_duplicates = 0;            // memberships of duplicates of what was made at the same place
  Spread ranks{};                                 // a sample for each membership: the size
  std::uint64_t intercommunicators = 0;           // of `communicators`
  std::map<std::string, std::uint64_t> models{};  // rank-map model -> memberships; the models' names are few
  Memory marshal{};                               // rank maps, at the time when most of those made here were alive
  Memory host{};                                  // allocated by the host at that time, measured
  Spread host_in_passing_bytes{};                 // allocated by the host in these calls for itself; a sample a process
  Memory vc_vcrt{};               // what virtual connections and a reference table a communicator would take
  Memory av_rankmap{};            // what address vectors and rank maps would take
  std::uint64_t creation_ns = 0;  // in the host's call, sum over processes
  std::uint64_t marshal_ns = 0;   // in Marshal around it, sum over processes: wall time
  std::string symbol{};           // "grid.c:120 in setup_grid", if the library or a tool could tell

  MARSHAL_FIELDS(symbol, communicators, not_known, made, freed, alive, most_alive, never_used, like_parent,
                 nested_duplicates, ranks, intercommunicators, models, marshal, host, host_in_passing_bytes, vc_vcrt,
                 av_rankmap, creation_ns, marshal_ns);
  void merge(const CommunicatorSite& other) { merge_fields(*this, other); }
  auto operator<=>(const CommunicatorSite&) const = default;
};

}  // namespace marshal::report
