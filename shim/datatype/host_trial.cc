#include "datatype/host_trial.h"

namespace marshal::datatype {
namespace {

// What it costs, about, to ask the host at all, which the times taken do not show.
constexpr std::int64_t passing_on_ns = 32;

}  // namespace

void HostTrial::took(std::int64_t bytes, bool by_host, std::int64_t ns) {
  Class& c = classes_[class_of(bytes)];
  std::atomic<std::int64_t>& best = by_host ? c.best_by_host : c.best_by_engine;
  const std::int64_t before = best.load(std::memory_order_relaxed);
  ns = std::max<std::int64_t>(ns, 1);
  if (before == 0 || ns < before) best.store(ns, std::memory_order_relaxed);
  const std::uint32_t n = c.turn.load(std::memory_order_relaxed) + 1;
  if (n > 2 * most_turns) return;  // decided by another thread
  const std::int64_t engine = c.best_by_engine.load(std::memory_order_relaxed);
  const std::int64_t host = c.best_by_host.load(std::memory_order_relaxed);
  std::uint32_t next = n;
  const bool both_tried_twice = (n - 1) % most_turns >= 3;
  if (both_tried_twice && host > 2 * engine) next = engine_won;  // a slow host need not show it sixteen times
  if (both_tried_twice && engine > 2 * host + passing_on_ns) next = host_won;
  const bool engine_is_as_good = engine <= host + passing_on_ns;
  if (n % most_turns == 0 && engine_is_as_good) next = engine_won;
  if (n == 2 * most_turns && !engine_is_as_good) next = host_won;
  if (next == most_turns) {  // the host's victory is for good: it must win twice
    c.best_by_engine.store(0, std::memory_order_relaxed);
    c.best_by_host.store(0, std::memory_order_relaxed);
  }
  c.turn.store(next, std::memory_order_relaxed);
}

}  // namespace marshal::datatype
