// What this process read and wrote so far: the very struct that the report adds up. Threads add without a lock: two
// threads at the same moment may count two calls as one.
#pragma once

#include <atomic>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "record/traffic.h"

namespace marshal::files {

inline constinit report::Files counts;

inline void add_relaxed(std::uint64_t& count, std::uint64_t more) {
  const std::atomic_ref<std::uint64_t> shared(count);
  shared.store(shared.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
}

template <class Accesses>
void add_access(Accesses& some, std::int64_t bytes) {
  add_relaxed(some.calls, 1);
  add_relaxed(some.bytes, static_cast<std::uint64_t>(bytes));
}

// Other threads may count meanwhile.
template <class Counts>
Counts copy_of(Counts& shared) {
  if constexpr (std::is_integral_v<Counts>)
    return std::atomic_ref<Counts>(shared).load(std::memory_order_relaxed);
  else
    return std::apply([](auto&... counts_of) { return Counts{copy_of(counts_of)...}; }, shared.fields());
}

}  // namespace marshal::files
