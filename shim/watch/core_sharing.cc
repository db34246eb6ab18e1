#include "watch/core_sharing.h"

#include <algorithm>

namespace marshal::watch {
namespace {

// Numbers that decide. Times of shorter runs tell nothing: /proc/stat counts in 10 ms.
constexpr std::uint64_t shortest_ns = 100'000'000, idle_percent = 50;

void count_process(report::CoreUse& kind, const ProcessOnCores& process) {
  report::CoreUse::Node& node = kind.example;
  node.rank = kind.nodes == 0 ? process.rank : std::min(node.rank, process.rank);
  node.processes = ++kind.processes;
  node.threads += process.busy_threads;
  kind.waited_ns += process.waited_ns;
  kind.nodes = 1;
}

}  // namespace

bool ProcessOnCores::add(std::uint64_t run_ns, std::uint64_t wait_ns, bool is_first) {
  const std::uint64_t ns = run_ns + wait_ns;
  waited_ns = std::max(waited_ns, std::min(wait_ns, interval_ns));
  busy_threads += interval_ns != 0 && 2 * ns >= interval_ns;
  const bool counts = interval_ns != 0 && 10 * ns >= interval_ns;
  if (counts && !is_busy) cpus.reset();  // the first thread's, which is not busy
  is_busy |= counts;
  return counts || is_first;
}

NodeCores::NodeCores(std::size_t count)
    : core_of(most_cpus), idle(most_cpus), processes(count), owner_(most_cpus), found_by_(most_cpus), queue_(count) {
  for (std::size_t cpu = 0; cpu < most_cpus; ++cpu) core_of[cpu] = static_cast<std::uint16_t>(cpu);
}

// A way from a process over cores and their owners to a core that is free; each on it moves on by one. Without one,
// those that were visited have fewer cores together than they are.
bool NodeCores::find_core(std::size_t process) {
  std::fill_n(found_by_.begin(), end_, -1);
  for (ProcessOnCores& one : processes) one.is_visited = false;
  std::size_t asked = 0, asks = 0;
  queue_[asks++] = static_cast<std::int32_t>(process);
  while (asked < asks) {
    const std::int32_t asking = queue_[asked++];
    ProcessOnCores& one = processes[static_cast<std::size_t>(asking)];
    one.is_visited = true;
    for (std::size_t core = 0; core < end_; ++core) {
      if (!one.cores[core] || found_by_[core] >= 0) continue;
      found_by_[core] = asking;
      if (owner_[core] >= 0) {
        queue_[asks++] = owner_[core];
        continue;
      }
      for (std::size_t moved = core;;) {
        const std::int32_t to = found_by_[moved];
        const auto left = std::find(owner_.begin(), owner_.begin() + static_cast<std::ptrdiff_t>(end_), to);
        owner_[moved] = to;
        if (to == static_cast<std::int32_t>(process)) return true;
        moved = static_cast<std::size_t>(left - owner_.begin());
      }
    }
  }
  for (ProcessOnCores& one : processes) one.is_sharing |= one.is_visited;
  return false;
}

bool NodeCores::shares_cores() {
  Cpus all = allowed;
  for (const ProcessOnCores& one : processes) all |= one.cpus;
  cores_.reset();
  for (end_ = most_cpus; end_ > 0 && !all[end_ - 1];) --end_;
  for (std::size_t cpu = 0; cpu < end_; ++cpu)
    if (all[cpu]) cores_.set(core_of[cpu]);
  for (ProcessOnCores& one : processes) {
    one.cores.reset(), one.is_sharing = false;
    for (std::size_t cpu = 0; cpu < end_; ++cpu)
      if (one.cpus[cpu]) one.cores.set(core_of[cpu]);
  }
  std::fill_n(owner_.begin(), end_, -1);
  seen_ = own_cores_ = 0;
  for (std::size_t i = 0; i < processes.size(); ++i)
    if (processes[i].is_seen) ++seen_, own_cores_ += find_core(i);
  // Slurm counts cores or hardware threads: the fewer cores that this may mean.
  const std::uint64_t cores = std::max<std::uint64_t>(cores_.count(), 1), threads = all.count() / cores;
  cores_for_all_ = std::min({cores, quota, (slurm + threads - 1) / std::max<std::uint64_t>(threads, 1)});
  return own_cores_ < std::min(seen_, cores_for_all_);
}

std::uint64_t NodeCores::idle_cores_without(const Cpus& cores) const {
  Cpus idle_ones = cores_ & ~cores;
  for (std::size_t cpu = 0; cpu < end_; ++cpu)
    if (idle[cpu] < idle_percent) idle_ones.reset(core_of[cpu]);
  return idle_ones.count();
}

report::CoreUses NodeCores::judge(std::uint64_t interval_ns) {
  report::CoreUses uses;
  const bool is_shared = shares_cores();
  Cpus used, of_sharing, of_threads, used_cores;
  std::uint64_t busy_threads = 0;
  for (const ProcessOnCores& one : processes)
    used |= one.cpus, used_cores |= one.cores, busy_threads += one.busy_threads;
  const std::uint64_t most = std::min({std::uint64_t{cores_.count()}, quota, slurm});
  const bool are_too_many = seen_ > most,
             has_many_threads = busy_threads > std::max<std::uint64_t>(used.count(), seen_);
  for (const ProcessOnCores& one : processes) {
    if (!one.is_seen) continue;
    if (are_too_many) count_process(uses.too_many, one);
    if (interval_ns < shortest_ns) continue;
    const auto meets = [&](const ProcessOnCores& other) { return &other != &one && (other.cores & one.cores).any(); };
    if (is_shared && one.is_sharing) {
      count_process(uses.shared, one);
      of_sharing |= one.cores;
    } else if (one.busy_threads > 1 && (one.busy_threads > one.cpus.count() || has_many_threads)) {
      count_process(uses.threads, one);
      of_threads |= one.cores;
    } else if (one.is_busy && one.waits_for_others() && std::ranges::none_of(processes, meets)) {
      count_process(uses.foreign, one);
      uses.foreign.example.cores += one.cores.count();
    }
  }
  uses.too_many.example.cores = most;
  uses.shared.example.cores = of_sharing.count();
  uses.shared.example.free =
      std::min(idle_cores_without(of_sharing), cores_for_all_ - std::min(own_cores_, cores_for_all_));
  uses.threads.example.cores = of_threads.count();
  uses.threads.example.free = idle_cores_without(used_cores);
  uses.foreign.example.free = uses.threads.example.free;
  // What hardly costs anything is not said, nor what no free core can mend.
  for (report::CoreUse* kind : {&uses.shared, &uses.threads, &uses.foreign})
    if (kind->nodes == 0 || 100 * kind->waited_ns < interval_ns * kind->processes ||
        (kind != &uses.threads && kind->example.free == 0))
      *kind = {};
  if (!are_too_many) uses.too_many = {};
  return uses;
}

}  // namespace marshal::watch
