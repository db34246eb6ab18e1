// The host's own functions behind those of host_hooks.h, each looked up once.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

#include "host/host_hooks.h"
#include "host/next_symbol.h"
#include "wrappers/door/missing_calls.h"

namespace marshal {

inline constinit std::array<std::atomic<void*>, host_hook_count> next_hooked{};

[[gnu::noinline, gnu::cold]] inline void* find_next(HostHook hook, const void* caller) {
  void* const next = find_symbol_behind(name_of(hook), caller);
  if (next == nullptr) end_without_function(name_of(hook));
  next_hooked[static_cast<std::size_t>(hook)].store(next, std::memory_order_relaxed);
  return next;
}

// Null before the first call.
template <HostHook hook, class Function>
[[gnu::always_inline]] inline Function* found_next() {
  return reinterpret_cast<Function*>(next_hooked[static_cast<std::size_t>(hook)].load(std::memory_order_relaxed));
}

template <HostHook hook, class Function>
[[gnu::always_inline]] inline Function* next_of(const void* caller) {
  Function* const next = found_next<hook, Function>();
  return next != nullptr ? next : reinterpret_cast<Function*>(find_next(hook, caller));
}

}  // namespace marshal
