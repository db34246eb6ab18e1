// A thread's CPU time: it does not count waiting for a core or for other processes.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>

namespace marshal {

// CPU time of the calling thread since it began. A system call: about 0.2 us.
inline std::chrono::nanoseconds thread_cpu_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

// The time that the clock itself adds to an interval between two readings: the least of eight intervals.
inline std::chrono::nanoseconds cost_of_thread_cpu_time() {
  static const std::chrono::nanoseconds cost = [] {
    auto least = std::chrono::nanoseconds::max();
    for (int i = 0; i < 8; ++i) {
      const auto began = thread_cpu_time();
      least = std::min(least, thread_cpu_time() - began);
    }
    return least;
  }();
  return cost;
}

// One thread's intervals, in wall time, and in CPU time without the reading of its clock. Work is slower for a
// while after that system call: use the share of the two, not their sums.
class CpuStopwatch {
 public:
  void start() {
    cpu_began_ = thread_cpu_time();
    began_ = std::chrono::steady_clock::now();
  }
  void stop() {
    wall_ += std::chrono::steady_clock::now() - began_;
    const auto cpu = thread_cpu_time() - cpu_began_;
    cpu_ += std::max(cpu - cost_of_thread_cpu_time(), {});
  }
  std::chrono::nanoseconds wall() const { return wall_; }
  std::chrono::nanoseconds cpu() const { return std::min(cpu_, wall_); }

 private:
  std::chrono::steady_clock::time_point began_{};
  std::chrono::nanoseconds cpu_began_{}, wall_{}, cpu_{};
};

// A time as records hold it.
inline std::uint64_t nanoseconds(std::chrono::nanoseconds time) { return static_cast<std::uint64_t>(time.count()); }

}  // namespace marshal
