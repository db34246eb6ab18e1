// Counts of freed handles of the kinds that messages name. Code that remembers such a handle looks it up again when the
// count has changed.
#pragma once

#include <atomic>

#include "base/last_found.h"

namespace marshal {

// Communicators, windows, and datatypes that were freed so far: their handles may mean something else from then on.
inline Departures traffic_places_departures{0}, traffic_types_departures{0};
inline void forget_traffic_place() { traffic_places_departures.fetch_add(1, std::memory_order_release); }
// True if some thread may have kept a type's size since that count changed last. If not, a type's end needs no locked
// instruction.
inline constinit std::atomic<bool> traffic_sizes_kept{false};
inline void forget_traffic_type() {
  if (!traffic_sizes_kept.load(std::memory_order_relaxed)) return;
  traffic_sizes_kept.store(false, std::memory_order_relaxed);
  traffic_types_departures.fetch_add(1, std::memory_order_release);
}

}  // namespace marshal
