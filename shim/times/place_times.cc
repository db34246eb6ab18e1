#include "times/place_times.h"

#include <new>

namespace marshal {
namespace {

std::uint64_t key_of_place(const TimedPlace& place) {
  const auto number = [](const void* address) { return reinterpret_cast<std::uintptr_t>(address); };
  const TimedCommunicator& communicator = place.communicator;
  return (number(place.frames.address[0]) + place.call) ^ (number(communicator.frames.address[0]) << 20) ^
         (number(communicator.call) << 40) ^ communicator.processes;
}

}  // namespace

PlaceTimes::Sum& PlaceTimes::at(const Key& key, std::uint64_t departures, const TimedPlace& place) noexcept {
  std::atomic<Sum*>& last = sums_.home(key_of_place(place));
  Sum* sum = last.load(std::memory_order_relaxed);
  while (sum != nullptr && !(sum->place == place)) sum = sum->next;
  if (sum == nullptr && count_ < most && (sum = new (std::nothrow) Sum(place)) != nullptr) {
    sum->next = last.load(std::memory_order_relaxed);
    last.store(sum, std::memory_order_release);
    ++count_;
  }
  if (sum == nullptr) sum = &others_;
  lately_[number_of(key)] = {key, departures, sum};
  return *sum;
}

}  // namespace marshal
