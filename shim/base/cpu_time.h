// A thread's CPU time: it does not count waiting for a core or for other processes.
#pragma once

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

// A time as records hold it.
inline std::uint64_t nanoseconds(std::chrono::nanoseconds time) { return static_cast<std::uint64_t>(time.count()); }

}  // namespace marshal
