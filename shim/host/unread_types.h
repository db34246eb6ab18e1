// Types that are not read yet: what the host packs of them counts until it is worth reading them. Programs make, pack
// once and free types in loops: such calls shall cost next to nothing.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>

#include "datatype/layout_cache.h"
#include "host/committed_types.h"
#include "host/handles.h"

namespace marshal::books {

// Apart, so that of its many places only those used ever take memory.
inline constinit CommittedTypes committed_types;

// Reading a type costs a microsecond, and of a long list some tenths more for each number: in automatic mode only once
// the host has taken about as long to pack with it. A pack takes the host about as long by itself as so many bytes of
// it, and to read a number of a type's constructors takes as long as so many.
inline constexpr std::int64_t worth_reading = 16 * 1024, bytes_of_a_pack = 512, bytes_of_a_number = 512;

// What the host packed of a type so far, and will have packed when these bytes are.
inline std::int64_t weight_of_packs(const CommittedTypes::Place& place, std::int64_t bytes) {
  return place.weight.load(std::memory_order_relaxed) + bytes + bytes_of_a_pack;
}

inline constinit datatype::Work::Done packed_unread[2];  // to pack, to unpack

// Before a pack: whether it is left to the host, and now on the books; so with a type that the host packed before and
// that is still not worth reading, if all of it fits into `room` packed bytes. Else nothing is noted.
inline bool leave_unread(MPI_Datatype handle, std::int64_t count, std::int64_t room, bool unpack) noexcept {
  CommittedTypes::Place* place = committed_types.find(key_of(handle));
  if (place == nullptr || !place->only_counts.load(std::memory_order_relaxed)) return false;
  std::int64_t bytes;
  const std::int64_t size = place->size_plus_one.load(std::memory_order_relaxed) - 1;
  if (size < 0 || __builtin_mul_overflow(size, count, &bytes) || bytes > room) return false;
  const std::int64_t weight = weight_of_packs(*place, bytes);
  if (weight >= worth_reading) return false;
  place->weight.store(weight, std::memory_order_relaxed);
  packed_unread[unpack ? 1 : 0].add_call(bytes);
  return true;
}

}  // namespace marshal::books
