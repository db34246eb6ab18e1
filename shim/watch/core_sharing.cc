#include "watch/core_sharing.h"

#include <algorithm>

namespace marshal::watch {
namespace {

// Numbers that decide. In shorter runs programs that start and end decide: nothing is said of them.
constexpr std::uint64_t shortest_ns = 1'000'000'000, idle_percent = 50;

void count_process(report::CoreUse& kind, Cpus& cores, const ProcessOnCores& process) {
  cores |= process.cores;
  report::CoreUse::Node& node = kind.example;
  node.rank = kind.nodes == 0 ? process.rank : std::min(node.rank, process.rank);
  node.processes = ++kind.processes;
  node.threads = std::max(node.threads, process.busy_threads);
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

NodeCores::NodeCores(std::size_t count) : core_of(most_cpus), idle(most_cpus), processes(count), owner_(most_cpus) {
  for (std::size_t cpu = 0; cpu < most_cpus; ++cpu) core_of[cpu] = static_cast<std::uint16_t>(cpu);
}

// Finds a core that is free, or whose owner finds another one. Without one, the processes that were asked have fewer
// cores together than they are.
bool NodeCores::find_core(std::size_t process) {
  ProcessOnCores& one = processes[process];
  one.is_asked = true;
  for (std::size_t core = 0; core < end_; ++core) {
    if (!one.cores[core] || asked_cores_[core]) continue;
    asked_cores_.set(core);
    if (owner_[core] >= 0 && !find_core(static_cast<std::size_t>(owner_[core]))) continue;
    owner_[core] = static_cast<std::int32_t>(process);
    return true;
  }
  return false;
}

bool NodeCores::shares_cores() {
  Cpus used;
  for (const ProcessOnCores& one : processes) used |= one.cpus;
  const Cpus all = allowed | used;
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
  for (std::size_t i = 0; i < processes.size(); ++i) {
    if (!processes[i].is_seen) continue;
    ++seen_;
    if (own_cores_ == cores_.count()) continue;
    asked_cores_.reset();
    for (ProcessOnCores& one : processes) one.is_asked = false;
    if (find_core(i))
      ++own_cores_;
    else
      for (ProcessOnCores& one : processes) one.is_sharing |= one.is_asked;
  }
  // It may be the number of a launcher's own step.
  if (slurm < used.count()) slurm = most_cpus;
  // Slurm counts cores or hardware threads: the fewer cores that this may mean.
  const std::uint64_t cores = std::max<std::uint64_t>(cores_.count(), 1), threads = all.count() / cores;
  cores_for_all_ = std::min({cores, quota, (slurm + threads - 1) / std::max<std::uint64_t>(threads, 1)});
  return own_cores_ < std::min(seen_, cores_for_all_);
}

// Its CPUs were in use while it waited, and not by itself. One that was idle all the time may come out as 99 %.
bool NodeCores::waits_for_others(const ProcessOnCores& one) const {
  std::uint64_t in_use = 0;
  for (std::size_t cpu = 0; cpu < end_; ++cpu)
    if (one.cpus[cpu]) in_use += (99 - std::min<std::uint64_t>(idle[cpu], 99)) * (one.interval_ns / 100);
  return 5 * one.waited_ns >= one.interval_ns && in_use >= one.cpu_ns + one.interval_ns / 10;
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
  Cpus used, used_cores, of_too_many, of_sharing, of_threads, of_foreign;
  std::uint64_t busy_threads = 0;
  for (const ProcessOnCores& one : processes)
    used |= one.cpus, used_cores |= one.cores, busy_threads += one.busy_threads;
  const std::uint64_t most = std::min({std::uint64_t{cores_.count()}, quota, slurm});
  const bool has_many_threads = busy_threads > std::max<std::uint64_t>(used.count(), seen_);
  for (const ProcessOnCores& one : processes) {
    if (!one.is_seen) continue;
    if (seen_ > most) count_process(uses.too_many, of_too_many, one);
    if (interval_ns < shortest_ns) continue;
    const auto meets = [&](const ProcessOnCores& other) { return &other != &one && (other.cores & one.cores).any(); };
    if (is_shared && one.is_sharing)
      count_process(uses.shared, of_sharing, one);
    else if (has_many_threads ? one.busy_threads > 0 : one.busy_threads > std::max<std::size_t>(1, one.cpus.count()))
      count_process(uses.threads, of_threads, one);
    else if (seen_ == processes.size() && one.is_busy && waits_for_others(one) &&
             std::ranges::none_of(processes, meets))
      count_process(uses.foreign, of_foreign, one);
  }
  uses.too_many.example.cores = most;
  uses.shared.example.cores = of_sharing.count();
  uses.threads.example.cores = of_threads.count();
  uses.foreign.example.cores = of_foreign.count();
  Cpus taken = of_sharing;
  for (std::size_t core = 0; core < end_; ++core)
    if (owner_[core] >= 0) taken.set(core);
  const auto free_beside = [&](const Cpus& others, std::uint64_t in_use) {
    return std::min(idle_cores_without(others), cores_for_all_ - std::min(in_use, cores_for_all_));
  };
  uses.shared.example.free = free_beside(taken, own_cores_);
  uses.threads.example.free = uses.foreign.example.free = free_beside(used_cores, used_cores.count());
  // A kind that costs hardly anything is not said, nor one that no free core can mend.
  for (report::CoreUse* kind : {&uses.shared, &uses.threads, &uses.foreign})
    if (kind->nodes == 0 || 100 * kind->waited_ns < interval_ns * kind->processes ||
        (kind != &uses.threads && kind->example.free == 0))
      *kind = {};
  if (uses.too_many.nodes == 0) uses.too_many = {};
  return uses;
}

}  // namespace marshal::watch
