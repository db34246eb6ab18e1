#include "watch/core_looks.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "base/cpu_time.h"
#include "watch/proc_files.h"

namespace marshal::watch {
namespace {

constexpr std::size_t room_bytes = std::size_t{256} << 10;  // /proc/stat of 2000 CPUs

std::uint64_t now_ns() { return nanoseconds(std::chrono::steady_clock::now().time_since_epoch()); }

using MaskWords = std::array<unsigned long, most_cpus / 8 / sizeof(unsigned long)>;

// Where the thread may run; nothing if it is gone. The C library's own call knows 1024 CPUs.
Cpus cpus_of(pid_t thread) {
  MaskWords words{};
  Cpus cpus;
  const long bytes = syscall(SYS_sched_getaffinity, thread, sizeof words, words.data());
  constexpr std::size_t bits = 8 * sizeof(unsigned long);
  for (std::size_t cpu = 0; bytes > 0 && cpu < 8 * static_cast<std::size_t>(bytes); ++cpu)
    if ((words[cpu / bits] >> cpu % bits & 1) != 0) cpus.set(cpu);
  return cpus;
}

// All that the cgroup allows: this thread asks for every CPU for a moment.
Cpus cpus_of_cgroup() {
  MaskWords before{}, all;
  all.fill(~0UL);
  const long bytes = syscall(SYS_sched_getaffinity, 0, sizeof before, before.data());
  if (bytes <= 0) return {};
  syscall(SYS_sched_setaffinity, 0, sizeof all, all.data());
  const Cpus cpus = cpus_of(0);
  syscall(SYS_sched_setaffinity, 0, static_cast<std::size_t>(bytes), before.data());
  return cpus;
}

// CPUs whose time this process's cgroup allows, and those above it do.
std::uint64_t quota_of_cgroups() {
  std::array<char, 4096> room;
  std::array<char, 64> limit, of_period;
  std::uint64_t quota = most_cpus;
  std::string_view cgroups = read_file("/proc/self/cgroup", room);
  while (!cgroups.empty()) {
    std::string_view line = next_word(cgroups, '\n');
    next_word(line, ':');
    const std::string_view controllers = next_word(line, ':');
    const bool is_version_2 = controllers.empty();
    // In a container the path may be the one outside.
    for (bool is_root = false; !is_root; line = line.substr(0, line.rfind('/'))) {
      is_root = line.find('/') == line.npos;
      const auto folder = text_in_array<1024>("/sys/fs/cgroup{}{}/cpu", is_version_2 ? "" : "/cpu", line);
      std::string_view text =
          read_file(text_in_array<1024>("{}.{}", folder.data(), is_version_2 ? "max" : "cfs_quota_us").data(), limit);
      const std::uint64_t used = number_in(next_word(text, is_version_2 ? ' ' : '\n'));  // "max" and "-1": no limit
      if (!is_version_2) text = read_file(text_in_array<1024>("{}.cfs_period_us", folder.data()).data(), of_period);
      const std::uint64_t period = number_in(text);
      if (used != 0 && period != 0) quota = std::min(quota, (used + period - 1) / period);
    }
  }
  return quota;
}

}  // namespace

CoreLooks::CoreLooks(std::span<const Chunk> chunks, std::string host)
    : host_(std::move(host)),
      node_(chunks.size()),
      process_(chunks.size()),
      cpu_at_first_(chunks.size()),
      at_first_(chunks.size() * most_threads),
      idle_at_first_(most_cpus),
      room_(new char[room_bytes]) {
  if (const char* const cpus = std::getenv("SLURM_CPUS_ON_NODE"); cpus != nullptr && number_in(cpus) != 0)
    node_.slurm = number_in(cpus);
  const std::uint64_t process_names = namespace_of_processes();
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    ProcessOnCores& process = node_.processes[i];
    process.rank = static_cast<std::uint64_t>(chunks[i].rank);
    if (chunks[i].process == 0 || chunks[i].process_names != process_names) continue;
    process_[i] = chunks[i].process;
    process.cpus = cpus_of(process_[i]);
    process.is_seen = process.cpus.any();
  }
}

void CoreLooks::read_cores() {
  node_.allowed = cpus_of_cgroup();
  node_.quota = quota_of_cgroups();
  std::array<char, 4096> text;
  for (std::size_t cpu = 0; cpu < most_cpus; ++cpu) {
    if (!node_.allowed[cpu]) continue;
    // "0,64" and "0-1" begin with the lowest.
    const std::string_view siblings =
        read_file(text_in_array<96>("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu).data(), text);
    if (!siblings.empty())
      node_.core_of[cpu] = static_cast<std::uint16_t>(std::min<std::uint64_t>(number_in(siblings), cpu));
  }
}

template <class Visit>
void CoreLooks::each_idle_time(Visit visit) {
  std::string_view text = read_file("/proc/stat", {room_.get(), room_bytes});
  next_word(text, '\n');  // of all
  while (text.starts_with("cpu")) {
    std::string_view line = next_word(text, '\n');
    const std::uint64_t cpu = number_in(next_word(line, ' ').substr(3));
    // proc(5): user, nice, system, idle, iowait.
    for (int field = 0; field < 3; ++field) next_word(line, ' ');
    const std::uint64_t idle = number_in(next_word(line, ' '));
    if (cpu < most_cpus) visit(cpu, idle + number_in(next_word(line, ' ')));
  }
}

void CoreLooks::look_at(ProcessOnCores& process, std::span<ThreadTimes> known, pid_t thread, bool is_first) {
  std::array<char, 128> room;
  const pid_t id = process_[static_cast<std::size_t>(&process - node_.processes.data())];
  std::string_view text = read_file(text_in_array<64>("/proc/{}/task/{}/schedstat", id, thread).data(), room);
  const std::uint64_t run_ns = number_in(next_word(text, ' ')), wait_ns = number_in(next_word(text, ' '));
  auto row = std::ranges::find(known, thread, &ThreadTimes::thread);
  if (row == known.end()) row = std::ranges::find(known, 0, &ThreadTimes::thread);
  ThreadTimes unknown, &then = row == known.end() ? unknown : *row;
  // Threads that begin later have all their times since then. A later thread may have the same number.
  if (then.thread == 0 || then.run_ns > run_ns || then.wait_ns > wait_ns)
    then = began_ns_ == 0 ? ThreadTimes{thread, run_ns, wait_ns} : ThreadTimes{thread};
  const bool counts = process.add(run_ns - then.run_ns, wait_ns - then.wait_ns, is_first);
  if (counts) process.cpus |= cpus_of(thread);
  then.counts |= counts;
}

void CoreLooks::look_at(std::size_t i, std::uint64_t interval_ns, bool at_all_threads) {
  ProcessOnCores& process = node_.processes[i];
  process = {.rank = process.rank, .interval_ns = interval_ns};
  if (process_[i] == 0) return;
  const std::span known = std::span(at_first_).subspan(i * most_threads, most_threads);
  look_at(process, known, process_[i], true);
  process.is_seen = process.cpus.any();
  const auto look_at_other = [&](pid_t thread) {
    if (thread > 0 && thread != process_[i] && thread != own_thread_) look_at(process, known, thread, false);
  };
  alignas(dirent64) std::array<char, 4096> entries;
  if (at_all_threads)
    each_file(text_in_array<64>("/proc/{}/task", process_[i]).data(), entries,
              [&](std::string_view name) { look_at_other(static_cast<pid_t>(number_in(name))); });
  else
    for (std::size_t n = 0; n < most_threads && known[n].thread != 0; ++n)
      if (known[n].counts) look_at_other(known[n].thread);
  const std::uint64_t cpu = facts_of(process_[i]).cpu;
  if (began_ns_ == 0) cpu_at_first_[i] = cpu;
  process.cpu_ns = (cpu - std::min(cpu, cpu_at_first_[i])) * ns_a_tick_;
}

void CoreLooks::begin(std::span<const SeenProcess> seen) noexcept {
  const std::scoped_lock lock(looking_);
  own_thread_ = static_cast<pid_t>(syscall(SYS_gettid));
  read_cores();
  shared_at_first_ = node_.shares_cores();
  for (std::size_t i = 0; i < process_.size(); ++i) {
    if (!seen[i].can_be_asked) process_[i] = 0;
    look_at(i, 0, true);
  }
  each_idle_time([&](std::size_t cpu, std::uint64_t ticks) { idle_at_first_[cpu] = ticks; });
  began_ns_ = now_ns();
}

report::CoreUses CoreLooks::look(bool at_all_threads) noexcept {
  // (Thread sanitizers know no lock that waits by the steady clock.)
  const std::unique_lock lock(looking_, std::chrono::system_clock::now() + std::chrono::milliseconds(100));
  if (!lock || began_ns_ == 0) return {};
  const std::uint64_t interval = now_ns() - began_ns_;
  for (std::size_t i = 0; i < process_.size(); ++i) look_at(i, interval, at_all_threads);
  // It takes the kernel a while to say this on large machines: so it is asked only where something may be wrong.
  std::ranges::fill(node_.idle, std::uint8_t{0});
  const auto waits = [=](const ProcessOnCores& one) { return 100 * one.waited_ns >= interval; };
  if (std::ranges::any_of(node_.processes, waits))
    each_idle_time([&](std::size_t cpu, std::uint64_t ticks) {
      const std::uint64_t idle_ns = (ticks - std::min(ticks, idle_at_first_[cpu])) * ns_a_tick_;
      node_.idle[cpu] = static_cast<std::uint8_t>(std::min<std::uint64_t>(100, idle_ns / (interval / 100 + 1)));
    });
  report::CoreUses uses = node_.judge(interval);
  if (const std::uint64_t cores = uses.too_many.example.cores; uses.too_many.nodes != 0)
    uses.too_many.example.limit = node_.quota == cores   ? "quota"
                                  : node_.slurm == cores ? "Slurm"
                                  : node_.allowed.count() < static_cast<std::size_t>(sysconf(_SC_NPROCESSORS_ONLN))
                                      ? "cgroup"
                                      : "";
  return uses;
}

const char* CoreLooks::mend_of(const report::CoreUse::Node& shared) const {
  if (!shared_at_first_) return "the launcher, and not by the program";
  const char* const option = shared.has_core_for_each() ? options_.own_core : options_.none;
  return option != nullptr ? option : "an option of the launcher";
}

report::CoreUses CoreLooks::look_at_end() noexcept {
  report::CoreUses uses;
  const bool is_whole = attempt_to_the_end([&] {
    uses = look(false);
    auto& [shared, threads, foreign, too_many] = uses;
    for (report::CoreUse* kind : {&shared, &threads, &foreign, &too_many})
      if (kind->nodes != 0) kind->example.host = host_;
    if (shared.nodes != 0) shared.example.mend = mend_of(shared.example);
    if (const report::CoreUse::Node& node = threads.example;
        threads.nodes != 0 && node.free != 0 && node.has_core_for_each_thread() && options_.more_cores != nullptr)
      threads.example.mend = options_.more_cores + std::to_string(node.threads);
    if (foreign.nodes != 0 && options_.none != nullptr) foreign.example.mend = options_.none;
  });
  return is_whole ? uses : report::CoreUses{};
}

}  // namespace marshal::watch
