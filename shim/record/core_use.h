// How the processes of a node share its cores (watch/core_sharing.h), and how long they waited for one.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "record/fields.h"

namespace marshal::report {

// One kind of sharing.
struct CoreUse {
  // The node that has the lowest of these ranks.
  struct Node {
    std::uint64_t rank = 0, processes = 0, threads = 0;  // threads: the busy ones of the process that has most
    std::uint64_t cores = 0;                             // that they run on
    std::uint64_t free = 0;                              // others of the job that were idle for half of the time
    std::string host{};
    std::string mend{};  // the launcher's option, or what else mends it
    bool has_core_for_each() const { return processes <= cores + free; }
    bool has_core_for_each_thread() const { return processes * threads <= cores + free; }
    std::string limit{};  // what keeps the job from more cores: "cgroup", "quota", "Slurm"; empty: nothing
    MARSHAL_FIELDS(rank, processes, threads, cores, free, host, mend, limit);
    auto operator<=>(const Node&) const = default;
  };
  std::uint64_t nodes = 0, processes = 0;
  std::uint64_t waited_ns = 0;  // of each process, the thread that waited longest for a core
  Node example{};

  MARSHAL_FIELDS(nodes, processes, waited_ns, example);
  void merge(const CoreUse& other) {
    if (other.nodes != 0 && (nodes == 0 || other.example < example)) example = other.example;
    nodes += other.nodes, processes += other.processes, waited_ns += other.waited_ns;
  }
  auto operator<=>(const CoreUse&) const = default;
};

struct CoreUses {
  CoreUse shared{};    // processes share cores, while others are free
  CoreUse threads{};   // processes have more busy threads than cores
  CoreUse foreign{};   // programs outside the job take cores of processes, while others are free
  CoreUse too_many{};  // the job has more processes than cores
  MARSHAL_FIELDS(shared, threads, foreign, too_many);
  void merge(const CoreUses& other) { merge_fields(*this, other); }
  auto operator<=>(const CoreUses&) const = default;
};

}  // namespace marshal::report
