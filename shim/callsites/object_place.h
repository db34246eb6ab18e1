// The places of the program that make groups, operations, keyvals and the like. Each knows how many of its objects are
// alive. (Communicators, windows and files: communicators/creation_site.h.)
//
// Counting is exact, whatever the threads. Only where several threads may be in MPI at once does it take locked
// instructions.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/always_inline.h"
#include "base/fixed_table.h"
#include "base/relaxed.h"

namespace marshal {

// True from MPI_Init on if several threads may be in MPI at once.
inline constinit Relaxed<bool> objects_are_shared{true};

struct alignas(64) ObjectPlace {
  std::atomic<const void*> caller{nullptr};  // a return address in the program; null: the entry is free
  const char* call = nullptr;                // the MPI name, a literal; constant once `caller` is set
  std::atomic<std::uint64_t> made{0}, ended{0}, most_alive{0};

  MARSHAL_ALWAYS_INLINE void count_made() noexcept {
    const std::uint64_t now = add_one(made), gone = ended.load(std::memory_order_relaxed);
    std::uint64_t most = most_alive.load(std::memory_order_relaxed);
    if (now <= gone || now - gone <= most) return;
    if (!objects_are_shared) return most_alive.store(now - gone, std::memory_order_relaxed);
    while (now - gone > most && !most_alive.compare_exchange_weak(most, now - gone, std::memory_order_relaxed))
      continue;
  }
  MARSHAL_ALWAYS_INLINE void count_ended() noexcept { add_one(ended); }

 private:
  // The sum.
  MARSHAL_ALWAYS_INLINE static std::uint64_t add_one(std::atomic<std::uint64_t>& n) noexcept {
    if (objects_are_shared) return n.fetch_add(1, std::memory_order_relaxed) + 1;
    const std::uint64_t sum = n.load(std::memory_order_relaxed) + 1;
    n.store(sum, std::memory_order_relaxed);
    return sum;
  }
};

namespace detail {
inline constinit FixedTable<ObjectPlace, 512> object_places{};

// The place of the call with that return address, or the free entry where it would stand; `found` says which.
MARSHAL_ALWAYS_INLINE inline ObjectPlace& object_place_or_free(const char* call, const void* caller,
                                                               bool& found) noexcept {
  return object_places.search(reinterpret_cast<std::uintptr_t>(caller), [&](const ObjectPlace& place) {
    const void* const at = place.caller.load(std::memory_order_acquire);
    found = at == caller && place.call == call;
    return found || at == nullptr;
  });
}
}  // namespace detail

// The place where `call`, a literal, was made before with that return address; null if it is new. Lock free.
MARSHAL_ALWAYS_INLINE inline ObjectPlace* find_object_place(const char* call, const void* caller) noexcept {
  bool found = false;
  ObjectPlace& place = detail::object_place_or_free(call, caller, found);
  return found ? &place : nullptr;
}

// The same; a new place is entered. Places for which there is no room share one entry of their call. Thread safe.
ObjectPlace& object_place(const char* call, const void* caller) noexcept;

// A place in two bytes, for what has many of them; never 0.
using ObjectPlaceNumber = std::uint16_t;
MARSHAL_ALWAYS_INLINE inline ObjectPlaceNumber object_place_number(const ObjectPlace& place) {
  return static_cast<ObjectPlaceNumber>(&place - detail::object_places.data() + 1);
}
MARSHAL_ALWAYS_INLINE inline ObjectPlace& object_place_of(ObjectPlaceNumber number) {
  return detail::object_places[number - std::size_t{1}];
}

// Calls visit(const ObjectPlace&) for all so far.
template <class Visit>
void each_object_place(Visit&& visit) {
  for (const ObjectPlace& place : detail::object_places)
    if (place.caller.load(std::memory_order_acquire) != nullptr) visit(place);
}
// True for the entry that places without room share.
bool stands_for_several(const ObjectPlace& place);

// The objects of one kind that are alive, by handle, each with the place that made it.
//
// Most fit into a table of fixed size, where entering one and its end take a few instructions without a lock. The
// others are kept under a lock. Thread safe: the program makes and frees a handle in one thread at a time.
class AliveObjects {  // HANDLES: objects that are counted
 public:
  constexpr AliveObjects() = default;
  AliveObjects(const AliveObjects&) = delete;
  AliveObjects& operator=(const AliveObjects&) = delete;

  // The object `key` was made at `place`. Nothing happens if it is alive already.
  MARSHAL_ALWAYS_INLINE void enter(std::uint64_t key, ObjectPlace& place) noexcept {
    Line& line = lines_.home(key);
    Object* free = nullptr;
    for (Object& entry : line.entries) {
      const std::uint64_t at = entry.key.load(std::memory_order_relaxed);
      if (at == key + 1) return;
      if (at == 0 && free == nullptr) free = &entry;
    }
    if (free == nullptr || line.others.load(std::memory_order_relaxed) != 0 || objects_are_shared) [[unlikely]]
      return enter_apart(line, key, place);
    free->place.store(&place, std::memory_order_relaxed);
    free->key.store(key + 1, std::memory_order_relaxed);
    place.count_made();
  }

  // The object ends. False if it was not entered: then nothing happens.
  MARSHAL_ALWAYS_INLINE bool leave(std::uint64_t key) noexcept {
    Line& line = lines_.home(key);
    for (Object& entry : line.entries) {
      if (entry.key.load(std::memory_order_relaxed) != key + 1) continue;
      ObjectPlace* const place = entry.place.load(std::memory_order_relaxed);
      entry.key.store(0, std::memory_order_release);
      place->count_ended();
      return true;
    }
    if (line.others.load(std::memory_order_relaxed) != 0) [[unlikely]]
      return leave_others(line, key);
    return false;
  }

  // True if the object was entered, and has not left.
  bool has(std::uint64_t key) noexcept;

 private:
  struct Object {
    std::atomic<std::uint64_t> key{0};  // plus one; 0: free
    std::atomic<ObjectPlace*> place{nullptr};
  };
  struct alignas(64) Line {
    std::array<Object, 3> entries;
    std::atomic<std::uint64_t> others{0};  // that did not fit in here
  };

  static bool take_entry(Line& line, std::uint64_t key, ObjectPlace& place) noexcept;
  // Where several threads may enter objects at once, or the line is full.
  void enter_apart(Line& line, std::uint64_t key, ObjectPlace& place) noexcept;
  bool leave_others(Line& line, std::uint64_t key) noexcept;

  FixedTable<Line, 1024> lines_{};
};

}  // namespace marshal
