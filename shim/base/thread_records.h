// Records that each thread writes alone and anybody adds up. A record outlives its thread and is taken over by a later
// one, so nothing is lost from the sums.
#pragma once

#include <atomic>
#include <new>

#include "base/thread_end.h"

namespace marshal {

// Base of a record: `struct Counts : ThreadRecord<Counts> { ... };`.
template <class Record>
struct ThreadRecord : AtThreadEnd {
  std::atomic<bool> in_use{true};
  bool of_one_thread = false;  // no later thread takes it over; written by its thread
  Record** own = nullptr;      // its thread's pointer to it
  Record* next = nullptr;      // of all records, those of ended threads included
};

// All records of one kind. Lock free; records are never freed.
template <class Record>
class ThreadRecords {
 public:
  // A record for the calling thread, which `own`, a constinit thread_local pointer, then points to until the thread
  // ends. Null, and `own` untouched, if there is no memory.
  Record* take(Record*& own) noexcept {
    Record* record = all_.load(std::memory_order_acquire);
    for (; record != nullptr; record = record->next) {
      bool in_use = false;
      if (record->in_use.compare_exchange_strong(in_use, true, std::memory_order_acquire)) break;
    }
    if (record == nullptr) {
      record = new (std::nothrow) Record;
      if (record == nullptr) return nullptr;
      record->next = all_.load(std::memory_order_relaxed);
      while (!all_.compare_exchange_weak(record->next, record, std::memory_order_release)) {
      }
    }
    own = record;
    record->own = &own;
    record->give_back = [](AtThreadEnd& thing) noexcept {
      Record& ended = static_cast<Record&>(thing);
      *ended.own = nullptr;
      if (!ended.of_one_thread) ended.in_use.store(false, std::memory_order_release);
    };
    at_thread_end(*record);
    return record;
  }

  template <class Visit>
  void each(Visit visit) const {
    for (const Record* record = all_.load(std::memory_order_acquire); record != nullptr; record = record->next)
      visit(*record);
  }

 private:
  std::atomic<Record*> all_{nullptr};
};

}  // namespace marshal
