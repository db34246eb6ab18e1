// The slots of libmarshal.so's entry points: the target of each one's jump.
#pragma once

#include <cstddef>

namespace marshal {

inline constexpr std::size_t slot_count = 0
#define MARSHAL_DOOR(index, symbol) +1
#include "wrappers/door/door_entries.inc"
#undef MARSHAL_DOOR
    ;

extern "C" {
__attribute__((visibility("hidden"))) extern void* marshal_slots[slot_count];

// The function for a slot that has none yet, called at `caller`: opens the door if this is the first call.
__attribute__((visibility("hidden"))) void* marshal_resolve(std::size_t index, const void* caller);
}

}  // namespace marshal
