// A number that threads share where no order matters. Loads and stores are relaxed. An update is a load and a store,
// and needs no locked instruction: two threads in the same moment may lose one of their updates.
#pragma once

#include <atomic>

namespace marshal {

template <class T>
class Relaxed {
 public:
  constexpr explicit Relaxed(T at_first = T()) : value_(at_first) {}
  Relaxed(const Relaxed&) = delete;
  Relaxed& operator=(const Relaxed&) = delete;

  [[gnu::always_inline]] operator T() const { return value_.load(std::memory_order_relaxed); }
  [[gnu::always_inline]] T operator=(T now) {
    value_.store(now, std::memory_order_relaxed);
    return now;
  }
  [[gnu::always_inline]] T operator+=(T more) { return *this = static_cast<T>(*this + more); }

 private:
  std::atomic<T> value_;
};

}  // namespace marshal
