// The part of a run whose calls are timed: from the end of MPI_Init to MPI_Finalize, without what MPI_Pcontrol(0)
// leaves out.
#pragma once

#include <atomic>

#include "times/tick_clock.h"

namespace marshal {

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
