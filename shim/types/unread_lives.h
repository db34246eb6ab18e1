// When a type that is not read is worth reading: by what the host takes to pack it, and by how long types like it
// lived. Thread safe without locks, as unread_types.h.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "types/type_lives.h"
#include "types/unread_types.h"

namespace marshal {

inline constinit FirstGrants first_grants;

// True once the engine is on and MARSHAL_PACK=auto: then the quick way may count packs by the host.
inline constinit std::atomic<bool> host_may_pack_first{false};

inline std::size_t committed_in(const UnreadTypes::Place& place) {
  return place.committed_in.load(std::memory_order_relaxed);
}

// Bytes of an instance; the host is asked once.
std::int64_t size_of(UnreadTypes::Place& place, MPI_Datatype handle);

// At the first pack: the type's size and the lives of its like are known from then on. (Another type may take the
// place at any moment, so these are returned.)
TypeLives& lives_of_new(UnreadTypes::Place& place, std::int64_t size);

// Nobody needs to look at the type before the host has packed it for so long that it may be worth reading.
void grant_what_tells_nothing(UnreadTypes::Place& place);

// With `count` more instances.
bool is_worth_reading(UnreadTypes::Place& place, MPI_Datatype handle, std::int64_t count);

// The host's packing of a type ends here: the type is freed, or read.
void note_life_by_host(const UnreadTypes::Place& place);

}  // namespace marshal
