// How many types of each place that commits them are alive. Where several threads may be in MPI at once,
// callsites/object_place.h counts them. Else the place's history does, and the type's place among the unread types
// (unread_types.h) names it. So a commit and an end take a few instructions more.
#pragma once

#include <cstdint>

#include "callsites/object_place.h"
#include "types/unread_types.h"

namespace marshal::books {

// The types that were committed where several threads may be in MPI at once, and duplicates.
inline constinit AliveObjects alive_types;
inline constinit Relaxed<bool> any_alive_types;      // of these
bool leave_alive_types(std::uint64_t key) noexcept;  // true if it was one
void count_type(const char* call, const void* caller, std::uint64_t key) noexcept;

// True for a duplicate that is alive. Where threads may share objects, all types are among those, and histories count
// for nothing.
inline bool is_among_alive(std::uint64_t key) noexcept {
  return any_alive_types && !objects_are_shared && alive_types.has(key);
}

// As type.begin(), of a type whose place among the unread types is another's, or that has lost it to another, or that
// is alive already: a duplicate, which is committed too.
void begin_apart(UnreadType& type, std::uint64_t key, std::uint8_t site, bool on_book, bool is_automatic) noexcept;

// A type ends whose place among the unread types is another's, or that has none.
void end_apart(std::uint64_t key) noexcept;

// The type of this place ends.
[[gnu::always_inline]] inline void count_end(const UnreadType& type, std::uint64_t key) noexcept {
  if (any_alive_types) [[unlikely]]
    if (leave_alive_types(key)) return;
  type.history().count_end();
}

}  // namespace marshal::books
