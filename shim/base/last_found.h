// The entry that a thread looked up last: most calls look up the same one as the call before.
#pragma once

#include <atomic>
#include <cstdint>

namespace marshal {

// How many entries were removed. Counted before an entry is destroyed.
using Departures = std::atomic<std::uint64_t>;

// For one thread. Valid as long as no entry was removed since.
template <class Value>
class LastFound {  // HANDLES: what a thread looked up last
 public:
  // Null if another key was looked up last.
  const Value* get(std::uint64_t key, const Departures& departures) const {
    return key == key_ && departures_ == departures.load(std::memory_order_acquire) ? value_ : nullptr;
  }

  // The result of `look_up`, remembered unless it is null.
  template <class LookUp>
  const Value* find(std::uint64_t key, const Departures& departures, LookUp look_up) {
    if (const Value* last = get(key, departures)) return last;
    const std::uint64_t before = departures.load(std::memory_order_acquire);
    const Value* found = look_up();
    if (found != nullptr) set(key, before, found);
    return found;
  }

  // `value` was on the book after so many departures.
  void set(std::uint64_t key, std::uint64_t departures, const Value* value) {
    key_ = key;
    departures_ = departures;
    value_ = value;
  }

 private:
  std::uint64_t key_ = ~std::uint64_t{0}, departures_ = 0;
  const Value* value_ = nullptr;
};

}  // namespace marshal
