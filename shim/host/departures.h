// Counts of freed handles of the kinds that messages name. Code that remembers such a handle looks it up again when the
// count has changed.
#pragma once

#include <atomic>

#include "base/last_found.h"

namespace marshal {

// Communicators, windows, and datatypes that were freed so far: their handles may mean something else from then on.
inline Departures traffic_places_departures{0}, traffic_types_departures{0};
inline void forget_traffic_place() { traffic_places_departures.fetch_add(1, std::memory_order_release); }

}  // namespace marshal
