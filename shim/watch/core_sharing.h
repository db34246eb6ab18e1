// Which processes of a node share cores, as their masks and times tell. It knows no files and allocates only at its
// beginning.
//
// CPUs are the kernel's: hardware threads. A core has the number of its lowest CPU. A process may run where its busy
// threads may. As many processes have cores of their own as a maximum matching of processes to cores has edges.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "record/core_use.h"

namespace marshal::watch {

inline constexpr std::size_t most_cpus = 8192;
using Cpus = std::bitset<most_cpus>;

struct ProcessOnCores {
  std::uint64_t rank = 0, interval_ns = 0;
  std::uint64_t waited_ns = 0, busy_threads = 0;  // busy: for half of the interval it ran, or waited for a core
  std::uint64_t cpu_ns = 0;                       // of all threads, also those that have ended
  bool is_seen = false, is_busy = false;          // is_busy: a thread counts, which it does from a tenth on
  bool is_sharing = false, is_asked = false;
  Cpus cpus{}, cores{};

  // One thread's times, the first thread first. True if its mask belongs to `cpus`.
  bool add(std::uint64_t run_ns, std::uint64_t wait_ns, bool is_first);
};

class NodeCores {
 public:
  explicit NodeCores(std::size_t count);

  Cpus allowed{};                      // to this job
  std::vector<std::uint16_t> core_of;  // by CPU
  std::vector<std::uint8_t> idle;      // by CPU, in percent of the interval
  std::uint64_t quota = most_cpus;     // CPUs whose time cgroups allow
  std::uint64_t slurm = most_cpus;     // CPUs that the job has on this node, as Slurm counts them: threads or cores
  std::vector<ProcessOnCores> processes;

  // True if processes share cores while others are left over, whether these are idle or not.
  bool shares_cores();
  report::CoreUses judge(std::uint64_t interval_ns);

 private:
  bool find_core(std::size_t process);
  bool waits_for_others(const ProcessOnCores& one) const;
  std::uint64_t idle_cores_without(const Cpus& cores) const;

  Cpus cores_{}, asked_cores_{};
  std::size_t end_ = 0;  // of the numbers of CPUs
  std::uint64_t seen_ = 0, own_cores_ = 0, cores_for_all_ = 0;
  std::vector<std::int32_t> owner_;  // by core: the process that has it; -1: none
};

}  // namespace marshal::watch
