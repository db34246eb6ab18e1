// What /proc and /sys say of the cores that the processes of a node run on, from look to look. It allocates when it is
// made, and never later.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/launcher.h"
#include "watch/core_sharing.h"
#include "watch/running_file.h"

namespace marshal::watch {

class CoreLooks {
 public:
  // Before the program has left MPI_Init: so it has not bound its processes yet.
  CoreLooks(std::span<const Chunk> chunks, std::string host);
  // Once, on the looking thread: the cores that the job may use, and the times from which later ones count.
  void begin(std::span<const SeenProcess> seen) noexcept;
  // Since the beginning; nothing where that is not over yet. Any thread. At all threads, or for 1 ms only, at those
  // that an earlier look found busy.
  report::CoreUses look(bool at_all_threads) noexcept;
  // The same at the end of the run, with the node's name and what mends it.
  report::CoreUses look_at_end() noexcept;
  const char* mend_of(const report::CoreUse::Node& shared) const;

 private:
  struct ThreadTimes {
    pid_t thread = 0;
    std::uint64_t run_ns = 0, wait_ns = 0;
    bool counts = false;  // at a look it did
  };
  static constexpr std::size_t most_threads = 256;  // of a process that are known from look to look

  void look_at(std::size_t process, std::uint64_t interval_ns, bool at_all_threads);
  void look_at(ProcessOnCores& process, std::span<ThreadTimes> known, pid_t thread, bool is_first);
  void read_cores();
  // The time that each CPU was idle, in clock ticks; visit(cpu, ticks).
  template <class Visit>
  void each_idle_time(Visit visit);

  const std::string host_;
  const BindingOptions options_ = binding_options();  // only now does no other thread change the environment
  std::timed_mutex looking_;
  NodeCores node_;
  std::vector<pid_t> process_;               // 0: it cannot be asked
  std::vector<std::uint64_t> cpu_at_first_;  // in clock ticks
  std::vector<ThreadTimes> at_first_;        // most_threads for each process
  std::vector<std::uint64_t> idle_at_first_;
  const std::uint64_t ns_a_tick_ = 1'000'000'000 / static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  std::unique_ptr<char[]> room_;
  std::uint64_t began_ns_ = 0;
  pid_t own_thread_ = 0;
  bool shared_at_first_ = false;  // when the program had not bound its processes yet
};

}  // namespace marshal::watch
