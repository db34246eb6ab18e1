// Records that each thread writes alone and anybody adds up. A record outlives its thread and is taken over by a later
// one, so nothing is lost from the sums.
#pragma once

#include <atomic>
#include <new>

namespace marshal {

// Threads give back what they own when they end, after all that the program runs at their end.
//
// A thread_local object with a destructor goes too early: on the main thread before the program's atexit handlers and
// static objects, on other threads before the destructors of keys (pthread_key_create). All of these may call MPI. So
// Marshal has no such object (tests/source/destructors). A key's destructor gives back what is noted here. The main
// thread gives nothing back when the process ends.

// The base of what is given back.
struct AtThreadEnd {
  void (*give_back)(AtThreadEnd&) noexcept = nullptr;
  AtThreadEnd* earlier = nullptr;  // of the same thread
};

// Calls thing.give_back(thing) when the calling thread ends. If that thread is in its last round of keys' destructors
// already, the thing stays for good.
void at_thread_end(AtThreadEnd& thing) noexcept;

// The calling thread's object of a kind. `own`, a constinit thread_local pointer, points to it from its first use until
// the thread ends. On the heap: a library that is loaded late has little room for thread-local objects. Null without
// memory.
template <class T>
T* of_this_thread(T*& own) noexcept {
  if (own != nullptr) return own;
  struct Owned : AtThreadEnd {
    T object;
    T** own;
  };
  auto* const owned = new (std::nothrow) Owned;
  if (owned == nullptr) return nullptr;
  owned->own = &own;
  owned->give_back = [](AtThreadEnd& thing) noexcept {
    auto* const ended = static_cast<Owned*>(&thing);
    *ended->own = nullptr;
    delete ended;
  };
  own = &owned->object;
  at_thread_end(*owned);
  return own;
}

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
