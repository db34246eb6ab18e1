// The communicators made at one call site.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "report/memory.h"
#include "report/spread.h"

namespace marshal::report {

struct CommunicatorSite {
  std::uint64_t communicators = 0;                // distinct ones: each counted by its rank 0
  Spread made{};                                  // a sample a process: how many it became a member of
  Spread freed{};                                 // a sample a process
  Spread alive{};                                 // a sample a process: not freed when the record was taken
  Spread ranks{};                                 // a sample for each membership: the size
  std::uint64_t intercommunicators = 0;           // of `communicators`
  std::map<std::string, std::uint64_t> models{};  // rank-map model -> memberships; the models' names are few
  Memory marshal{};                               // rank maps, at the time when most of those made here were alive
  Memory host{};                                  // allocated by the host at that time, measured
  Spread host_in_passing{};                       // allocated by the host in these calls for itself; a sample a process
  Memory vc_vcrt{};               // what virtual connections and a reference table a communicator would take
  Memory av_rankmap{};            // what address vectors and rank maps would take
  std::uint64_t creation_ns = 0;  // in the host's call, sum over processes
  std::uint64_t marshal_ns = 0;   // in Marshal around it, sum over processes: wall time
  std::string symbol{};           // "grid.c:120 in setup_grid", if the library or a tool could tell

  void merge(const CommunicatorSite& other);
  auto operator<=>(const CommunicatorSite&) const = default;
};

}  // namespace marshal::report
