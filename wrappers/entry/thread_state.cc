#include "wrappers/entry/thread_state.h"

#include <algorithm>

namespace marshal {
namespace {

constinit ThreadRecords<CallCounts> all_counts;

}  // namespace

CallCounts& new_counts(ThreadState& thread) {
  watch::own_slot = nullptr;  // of this thread's last record
  if (CallCounts* counts = all_counts.take(thread.counts)) {
    watch::take_slot(counts->slot);
    return *counts;
  }
  static constinit CallCounts common;  // no memory: all such threads share one block, whose counts may be inexact
  common.unseen.thread.store(1, std::memory_order_relaxed);
  return common;
}

CallTotals total_counts() {
  CallTotals totals;
  std::uint64_t calls = 0, from_fortran = 0;
  all_counts.each([&](const CallCounts& counts) {
    for (std::size_t i = 0; i < call_count; ++i) totals.of[i] += counts.of[i].load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < binding_count; ++i)
      totals.bindings[i] += counts.bindings[i].load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < tally_count; ++i)
      totals.tallies[i] += counts.tallies[i].load(std::memory_order_relaxed);
  });
  for (const std::uint64_t of_call : totals.of) calls += of_call;
  for (const std::uint64_t of_binding : totals.bindings) from_fortran += of_binding;
  // Other threads may count right now.
  totals.bindings[static_cast<std::size_t>(Binding::c)] = calls - std::min(calls, from_fortran);
  return totals;
}

const ThreadRecords<CallCounts>& counts_of_all_threads() { return all_counts; }

}  // namespace marshal
