// What a thread found last on the books: most calls ask for what the one before asked for.
#pragma once

#include <atomic>
#include <cstdint>

namespace marshal {

// How many values have left the books. Counted before a value is destroyed.
using Departures = std::atomic<std::uint64_t>;

// For one thread. Good as long as nothing has left since.
template <class Value>
class LastFound {
 public:
  // Null if it was another.
  const Value* get(std::uint64_t key, const Departures& departures) const {
    return key == key_ && departures_ == departures.load(std::memory_order_acquire) ? value_ : nullptr;
  }

  // What `look_up` finds, remembered if it is anything.
  template <class LookUp>
  const Value* find(std::uint64_t key, const Departures& departures, LookUp look_up) {
    if (const Value* last = get(key, departures)) return last;
    const std::uint64_t before = departures.load(std::memory_order_acquire);
    const Value* found = look_up();
    if (found != nullptr) {
      key_ = key;
      departures_ = before;
      value_ = found;
    }
    return found;
  }

 private:
  std::uint64_t key_ = ~std::uint64_t{0}, departures_ = 0;
  const Value* value_ = nullptr;
};

}  // namespace marshal
