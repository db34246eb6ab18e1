// Which handles that messages name were freed: whoever remembers one looks it up again.
#pragma once

#include <atomic>

#include "base/last_found.h"

namespace marshal {

// Communicators, windows, and datatypes that were freed so far: their handles may mean something else from then on.
inline Departures traffic_places_departures{0}, traffic_types_departures{0};
inline void forget_traffic_place() { traffic_places_departures.fetch_add(1, std::memory_order_release); }
// Whether some thread may have kept the size of a type since then: if not, a type's end needs no locked instruction.
inline constinit std::atomic<bool> traffic_sizes_kept{false};
inline void forget_traffic_type() {
  if (!traffic_sizes_kept.load(std::memory_order_relaxed)) return;
  traffic_sizes_kept.store(false, std::memory_order_relaxed);
  traffic_types_departures.fetch_add(1, std::memory_order_release);
}

}  // namespace marshal
