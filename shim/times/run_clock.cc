#include "times/run_clock.h"

#include <mutex>

#include "base/immortal.h"

namespace marshal::run_clock {
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

}  // namespace marshal::run_clock
