#include "types/unread_lives.h"

#include <algorithm>

#include "host/pmpi.h"
#include "types/type_reader.h"

namespace marshal {
namespace {

using Place = UnreadTypes::Place;

// The time to make a first program, in ns, as far as the size tells it. A few packs tell nothing, whatever they take:
// the first ones find cold caches.
std::int64_t guessed_ns_of_first_program(const Place& place) {
  constexpr std::int64_t few = 6;
  const std::int64_t size = place.size_plus_one.load(std::memory_order_relaxed) - 1;
  return std::max(600 + size / 4, few * place.ns_of_pack(size));
}

// The time to read and plan a type, in ns, and for each number of its constructor. In automatic mode a type is read
// once the host has packed it for a multiple of that time.
constexpr std::int64_t ns_of_reading = 4000, ns_of_a_number = 60;

constinit LivesOfTypes all_lives;

// From so many ns of packing by the host on it is known when the type is worth reading.
constexpr std::int64_t worth_waiting = 2000;

// One instance, where the host's speed is not known; a second one then uses it up.
std::int64_t bytes_packed_in(const Place& place, std::int64_t ns) {
  const float rate = place.ns_per_byte.load(std::memory_order_relaxed);
  return rate > 0 ? static_cast<std::int64_t>(static_cast<float>(ns) / rate)
                  : place.size_plus_one.load(std::memory_order_relaxed);
}

}  // namespace

std::int64_t size_of(UnreadTypes::Place& place, MPI_Datatype handle) {
  MPI_Count size = place.size_plus_one.load(std::memory_order_relaxed) - 1;
  if (size < 0 && pmpi().Type_size_x(handle, &size) == MPI_SUCCESS && size >= 0 && place.is_of(key_of(handle)))
    place.size_plus_one.store(size + 1, std::memory_order_relaxed);
  return std::max<std::int64_t>(size, 0);
}

TypeLives& lives_of_new(UnreadTypes::Place& place, std::int64_t size) {
  TypeLives& lives = all_lives.of(place.committed_in.load(std::memory_order_relaxed), size);
  place.begin_life(lives);
  return lives;
}

void grant_what_tells_nothing(UnreadTypes::Place& place) {
  const float rate = place.ns_per_byte.load(std::memory_order_relaxed);
  if (!host_may_pack_first.load(std::memory_order_relaxed) || !place.is_counted() || rate <= 0 ||
      place.timing.load(std::memory_order_relaxed) != UnreadTypes::Timing::none)
    return;
  const float read_at = place.read_at.load(std::memory_order_relaxed);
  const float until = read_at == 0 ? static_cast<float>(worth_waiting) : read_at;
  const float ns = until - static_cast<float>(place.settle());
  place.grant(static_cast<std::int64_t>(std::max(ns, 0.0F) / rate));
}

bool is_worth_reading(UnreadTypes::Place& place, MPI_Datatype handle, std::int64_t count) {
  if (place.state.load(std::memory_order_relaxed) == TypeState::worth_reading) return true;
  TypeLives* lives = place.lives.load(std::memory_order_relaxed);
  if (lives == nullptr) {
    lives = &lives_of_new(place, size_of(place, handle));
    if (lives->is_worth_reading_at_once()) return true;
    first_grants.read_first_packs(committed_in(place), false);
  }
  const std::int64_t ns = place.settle() + place.ns_of_pack(size_of(place, handle) * count);
  place.host_ns.store(ns, std::memory_order_relaxed);
  float read_at = place.read_at.load(std::memory_order_relaxed);
  if (read_at == 0 && ns >= worth_waiting && place.passes(TypeState::counted, TypeState::waited_for)) {
    read_at = static_cast<float>(lives->patience() * (ns_of_reading + ns_of_a_number * constructor_numbers(handle)));
    place.read_at.store(read_at, std::memory_order_relaxed);
  }
  return read_at != 0 && static_cast<float>(ns) >= read_at;
}

void note_life_by_host(const UnreadTypes::Place& place) {
  TypeLives* const lives = place.lives.load(std::memory_order_relaxed);
  if (lives == nullptr) return;
  const auto read_at = static_cast<std::int64_t>(place.read_at.load(std::memory_order_relaxed));
  const std::int64_t guess = lives->guess(read_at / lives->patience(), guessed_ns_of_first_program(place));
  lives->lived(place.ns_by_host(), guess);
  if (lives->reads_next_at_once())
    first_grants.read_first_packs(committed_in(place), true);
  else if (const std::int64_t ns = lives->pays_from(guess); place.ns_by_host() < ns)
    first_grants.lived_briefly(committed_in(place), bytes_packed_in(place, ns));
  else
    first_grants.lived(committed_in(place));
}

}  // namespace marshal
