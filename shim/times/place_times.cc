#include "times/place_times.h"

#include <new>

namespace marshal {

PlaceTimes::Sum& PlaceTimes::at(const Key& key, std::uint64_t departures, const TimedPlace& place) noexcept {
  Sum* sum = all_.load(std::memory_order_relaxed);
  while (sum != nullptr && !(sum->place == place)) sum = sum->next;
  if (sum == nullptr && count_ < most && (sum = new (std::nothrow) Sum(place)) != nullptr) {
    sum->next = all_.load(std::memory_order_relaxed);
    all_.store(sum, std::memory_order_release);
    ++count_;
  }
  if (sum == nullptr) sum = &others_;
  lately_[number_of(key)] = {key, departures, sum};
  return *sum;
}

}  // namespace marshal
