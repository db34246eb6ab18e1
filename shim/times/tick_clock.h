// A clock that takes a few nanoseconds to read: the processor's counter where its rate never changes, else
// CLOCK_MONOTONIC.
//
// Source: AMD64 Architecture Programmer's Manual, volume 2, "Time-Stamp Counter" (invariant counter); Arm Architecture
// Reference Manual, "The Generic Timer".
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>

#include "base/always_inline.h"

namespace marshal {

using Ticks = std::uint64_t;

namespace detail {
extern const bool counter_is_steady;  // false before the library's static objects exist: then no call is timed
}

// Nanoseconds of CLOCK_MONOTONIC. Thread safe.
inline std::uint64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

// The processor may read its counter a little before or after the instructions around it. Thread safe.
MARSHAL_ALWAYS_INLINE inline Ticks ticks_now() {
#if defined(__x86_64__)
  if (detail::counter_is_steady) [[likely]]
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  Ticks counter = 0;
  asm volatile("mrs %0, cntvct_el0" : "=r"(counter));
  return counter;
#endif
  return monotonic_ns();
}

// The ticks from `earlier` to `later`. Counters of two processors may differ by some ticks: no time is below 0.
MARSHAL_ALWAYS_INLINE inline Ticks ticks_between(Ticks earlier, Ticks later) {
  const auto ticks = static_cast<std::int64_t>(later - earlier);
  return ticks > 0 ? static_cast<Ticks>(ticks) : 0;
}

// What one reading takes at least. Measured anew by each call, in about a microsecond.
Ticks least_reading();

// A moment on both clocks. Two of them tell the rate of the ticks between them.
struct Moment {
  Ticks ticks = 0;
  std::uint64_t ns = 0;
};
Moment moment_now();
double ns_a_tick(const Moment& earlier, const Moment& later);

// The part of a run whose calls are timed: from the end of MPI_Init to MPI_Finalize, without what MPI_Pcontrol(0)
// leaves out.
namespace detail {
inline constinit std::atomic<bool> timing{false};
}

// True while calls are timed. Thread safe.
inline bool is_timing() { return detail::timing.load(std::memory_order_relaxed); }

namespace run_clock {

// Begins at `since`, or pauses at once. Only the first call counts.
void begin(const Moment& since, bool paused);
bool has_begun();
// Thread safe. False if it changes nothing: a pause in a pause, a second going on.
bool pause();
bool go_on();
// Stops for good, and tells the rest. Thread safe.
void end();

// Ticks of the run so far, without pauses. Thread safe.
Ticks running();
// The same of the pauses.
Ticks paused();
// Nanoseconds a tick, measured from the beginning until now.
double rate();

}  // namespace run_clock

}  // namespace marshal
