#include "times/tick_clock.h"

#include <algorithm>
#include <mutex>

#include "base/immortal.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace marshal {
namespace {

#if defined(__x86_64__)
bool has_invariant_counter() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d & (1u << 8)) != 0;
}
#else
bool has_invariant_counter() { return false; }
#endif

}  // namespace

const bool detail::counter_is_steady = has_invariant_counter();

Ticks least_reading() {
  Ticks least = ~Ticks{0};
  for (int i = 0; i < 50; ++i) {
    const Ticks before = ticks_now();
    least = std::min(least, ticks_between(before, ticks_now()));
  }
  return least;
}

Moment moment_now() {
  // The readings of the shortest of three pairs belong together best.
  Moment best{};
  Ticks shortest = ~Ticks{0};
  for (int i = 0; i < 3; ++i) {
    const Ticks before = ticks_now();
    const std::uint64_t ns = monotonic_ns();
    const Ticks after = ticks_now();
    if (ticks_between(before, after) >= shortest) continue;
    shortest = ticks_between(before, after);
    best = {before + shortest / 2, ns};
  }
  return best;
}

double ns_a_tick(const Moment& earlier, const Moment& later) {
  const Ticks ticks = ticks_between(earlier.ticks, later.ticks);
  return ticks == 0 || later.ns <= earlier.ns ? 1
                                              : static_cast<double>(later.ns - earlier.ns) / static_cast<double>(ticks);
}

namespace run_clock {
namespace {

struct State {
  std::mutex mutex;
  Moment began;
  bool has_begun = false, is_paused = false, has_ended = false;
  Ticks changed = 0;  // the last pause or going on
  Ticks ran = 0, stood = 0;

  // Adds the time since the last change.
  void add_until(Ticks now) {
    (is_paused ? stood : ran) += ticks_between(changed, now);
    changed = now;
  }
  bool set_paused(bool pause) {
    const std::lock_guard lock(mutex);
    if (!has_begun || has_ended || is_paused == pause) return false;
    add_until(ticks_now());
    is_paused = pause;
    detail::timing.store(!pause, std::memory_order_relaxed);
    return true;
  }
};

State& state() {
  static Immortal<State> the;
  return *the;
}

Ticks so_far(Ticks State::*part) {
  State& the = state();
  const std::lock_guard lock(the.mutex);
  if (the.has_begun && !the.has_ended) the.add_until(ticks_now());
  return the.*part;
}

}  // namespace

void begin(const Moment& since, bool paused) {
  State& the = state();
  const std::lock_guard lock(the.mutex);
  if (the.has_begun) return;
  the.began = since;
  the.changed = since.ticks;
  the.has_begun = true;
  the.is_paused = paused;
  detail::timing.store(!paused, std::memory_order_relaxed);
}

bool has_begun() {
  State& the = state();
  const std::lock_guard lock(the.mutex);
  return the.has_begun;
}

bool pause() { return state().set_paused(true); }
bool go_on() { return state().set_paused(false); }

void end() {
  State& the = state();
  const std::lock_guard lock(the.mutex);
  if (!the.has_begun || the.has_ended) return;
  the.add_until(ticks_now());
  the.has_ended = true;
  detail::timing.store(false, std::memory_order_relaxed);
}

Ticks running() { return so_far(&State::ran); }
Ticks paused() { return so_far(&State::stood); }

double rate() {
  State& the = state();
  const std::lock_guard lock(the.mutex);
  return ns_a_tick(the.began, moment_now());
}

}  // namespace run_clock

}  // namespace marshal
