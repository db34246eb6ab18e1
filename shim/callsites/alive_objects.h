// The objects of one kind that are alive, by handle, each with the place that made it.
//
// Most fit into a table of fixed size, where entering one and its end take a few instructions without a lock. The
// others are kept under a lock. Thread safe: the program makes and frees a handle in one thread at a time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/always_inline.h"
#include "base/fixed_table.h"
#include "callsites/object_place.h"

namespace marshal {

class AliveObjects {  // HANDLES: objects that are counted
 public:
  constexpr AliveObjects() = default;
  AliveObjects(const AliveObjects&) = delete;
  AliveObjects& operator=(const AliveObjects&) = delete;

  // The object `key` was made at `place`. Nothing happens if it is alive already.
  MARSHAL_ALWAYS_INLINE void enter(std::uint64_t key, ObjectPlace& place) noexcept {
    Line& line = lines_.home(key);
    Entry* free = nullptr;
    for (Entry& entry : line.entries) {
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
    for (Entry& entry : line.entries) {
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
  struct Entry {
    std::atomic<std::uint64_t> key{0};  // plus one; 0: free
    std::atomic<ObjectPlace*> place{nullptr};
  };
  struct alignas(64) Line {
    std::array<Entry, 3> entries;
    std::atomic<std::uint64_t> others{0};  // that did not fit in here
  };

  static bool take_entry(Line& line, std::uint64_t key, ObjectPlace& place) noexcept;
  // Where several threads may enter objects at once, or the line is full.
  void enter_apart(Line& line, std::uint64_t key, ObjectPlace& place) noexcept;
  bool leave_others(Line& line, std::uint64_t key) noexcept;

  FixedTable<Line, 1024> lines_{};
};

}  // namespace marshal
