#include "wrappers/thread_state.h"

#include <new>

namespace marshal {
namespace {

constinit std::atomic<CallCounts*> all_counts{nullptr};

// Gives a thread's block back when the thread ends.
struct CountsOwner {
  CallCounts* counts = nullptr;
  ~CountsOwner() {
    if (counts == nullptr) return;
    this_thread().counts = nullptr;
    counts->in_use.store(false, std::memory_order_release);
  }
};

}  // namespace

CallCounts& new_counts(ThreadState& thread) {
  static thread_local CountsOwner owner;
  CallCounts* counts = all_counts.load(std::memory_order_acquire);
  for (; counts != nullptr; counts = counts->next) {
    bool free = false;
    if (counts->in_use.compare_exchange_strong(free, true, std::memory_order_acquire)) break;
  }
  if (counts == nullptr) {
    counts = new (std::nothrow) CallCounts;
    if (counts == nullptr) {  // no memory: all such threads share one block, whose counts may be inexact
      static constinit CallCounts common;
      return common;
    }
    counts->next = all_counts.load(std::memory_order_relaxed);
    while (!all_counts.compare_exchange_weak(counts->next, counts, std::memory_order_release)) {
    }
  }
  owner.counts = thread.counts = counts;
  return *counts;
}

CallTotals total_counts() {
  CallTotals totals;
  for (const CallCounts* counts = all_counts.load(std::memory_order_acquire); counts != nullptr;
       counts = counts->next) {
    for (std::size_t i = 0; i < call_count; ++i) totals.of[i] += counts->of[i].load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < binding_count; ++i)
      totals.bindings[i] += counts->bindings[i].load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < tally_count; ++i)
      totals.tallies[i] += counts->tallies[i].load(std::memory_order_relaxed);
  }
  return totals;
}

}  // namespace marshal
