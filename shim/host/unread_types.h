// Types that are not read yet: what the host packs of them counts until it is worth reading them. Programs make, pack
// once and free types in loops: such calls shall cost next to nothing.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "datatype/layout_cache.h"
#include "host/committed_types.h"
#include "host/handles.h"
#include "host/type_lives.h"

namespace marshal::books {

// Apart, so that of its many places only those used ever take memory.
inline constinit CommittedTypes committed_types;

// What it takes to read and plan a type: so many ns, and for each number of its constructors. In automatic mode it is
// read once the host has packed it for some times as long.
inline constexpr std::int64_t ns_of_reading = 4000, ns_of_a_number = 60;

// Of types of about one size.
inline TypeLives& lives_of(std::int64_t size) {
  static constinit std::array<TypeLives, 16> all{};
  return all[std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(size))) / 2, 15)];
}

// A pack that takes longer than looking at the clock by far is timed, one of each type.
inline constexpr std::int64_t worth_timing = 2000;

inline std::int64_t ns_of_pack(const CommittedTypes::Place& place, std::int64_t bytes) {
  const float measured = place.ns_per_byte.load(std::memory_order_relaxed);
  if (measured > 0) return static_cast<std::int64_t>(static_cast<float>(bytes) * measured);
  return bytes / 16 + 32;
}

// Whether the next pack by the host is to be timed.
inline bool is_to_be_timed(const CommittedTypes::Place& place) {
  return place.ns_per_byte.load(std::memory_order_relaxed) == 0 &&
         place.host_ns.load(std::memory_order_relaxed) >= worth_timing;
}
inline bool is_to_be_timed(MPI_Datatype handle) {
  const CommittedTypes::Place* place = committed_types.find(key_of(handle));
  return place != nullptr && is_to_be_timed(*place);
}

inline constinit datatype::Work::Done packed_unread[2];  // to pack, to unpack

// Before a pack: whether it is left to the host, and now on the books; so with a type that the host packed before and
// that is still not worth reading, nor timing, if all of it fits into `room` packed bytes. Else nothing is noted.
inline bool leave_unread(MPI_Datatype handle, std::int64_t count, std::int64_t room, bool unpack) noexcept {
  CommittedTypes::Place* place = committed_types.find(key_of(handle));
  if (place == nullptr || !place->only_counts.load(std::memory_order_relaxed)) return false;
  std::int64_t bytes;
  const std::int64_t size = place->size_plus_one.load(std::memory_order_relaxed) - 1;
  if (size < 0 || __builtin_mul_overflow(size, count, &bytes) || bytes > room) return false;
  const std::int64_t ns = place->host_ns.load(std::memory_order_relaxed) + ns_of_pack(*place, bytes);
  const std::int64_t read_at = place->read_at.load(std::memory_order_relaxed);
  if ((read_at != 0 && ns >= read_at) || is_to_be_timed(*place)) return false;
  place->host_ns.store(ns, std::memory_order_relaxed);
  packed_unread[unpack ? 1 : 0].add_call(bytes);
  return true;
}

}  // namespace marshal::books
