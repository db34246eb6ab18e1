// Entries that left a book while other threads may still use them. Each is kept as long as a thread has it as the last
// one that it looked up, and is destroyed then.
//
// A thread notes the entry that it found, and then reads the count of departures. A thread that takes an entry out
// counts the departure, and then reads what the threads have noted. All four accesses are sequentially consistent. So
// either the thread sees the departure, and looks up again, or its note is seen, and the entry is kept.
//
// Source: M. M. Michael, "Hazard Pointers: Safe Memory Reclamation for Lock-Free Objects".
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "base/last_found.h"
#include "base/thread_records.h"

namespace marshal {

// `Value` has a member `mutable const Value* left_before`. A thread may look up in several ways, and has a last one in
// each.
template <class Value, std::size_t ways>
class EntriesInUse {
 public:
  struct Noted : ThreadRecord<Noted> {
    std::array<std::atomic<const Value*>, ways> last{};
  };

  // As last.find(). The entry stays until this thread finds another one in this way. `own` is the thread's, null at
  // first. Null also where there is no memory.
  template <class LookUp>
  const Value* find(Noted*& own, std::size_t way, LastFound<Value>& last, std::uint64_t key,
                    const Departures& departures, LookUp look_up) {
    if (const Value* const found = last.get(key, departures)) return found;
    const std::uint64_t before = departures.load();
    const Value* const found = note(own, way, departures, look_up);
    if (found != nullptr) last.set(key, before, found);
    return found;
  }

  // The same for a thread that keeps no last one of its own.
  template <class LookUp>
  const Value* note(Noted*& own, std::size_t way, const Departures& departures, LookUp look_up) {
    if (own == nullptr && noted_.take(own) == nullptr) return nullptr;
    for (;;) {
      const std::uint64_t before = departures.load();
      const Value* const found = look_up();
      if (found == nullptr) return nullptr;
      own->last[way].store(found);
      if (departures.load() == before) return found;
    }
  }

  // The entry has left the book, and its departure is counted. Allocates nothing.
  void leave(std::unique_ptr<const Value> gone) {
    const Value* unused = nullptr;
    {
      const std::lock_guard lock(mutex_);
      gone->left_before = left_;
      left_ = gone.release();
      for (const Value** at = &left_; *at != nullptr;) {
        const Value* const entry = *at;
        if (is_noted(entry)) {
          at = &entry->left_before;
        } else {
          *at = std::exchange(entry->left_before, unused);
          unused = entry;
        }
      }
    }
    while (unused != nullptr) delete std::exchange(unused, unused->left_before);
  }

 private:
  bool is_noted(const Value* entry) const {
    bool found = false;
    noted_.each([&](const Noted& thread) {
      for (const auto& last : thread.last) found |= last.load() == entry;
    });
    return found;
  }

  ThreadRecords<Noted> noted_;
  std::mutex mutex_;             // guards the list
  const Value* left_ = nullptr;  // those that some thread had as its last; at most `ways` a thread, and one
};

}  // namespace marshal
