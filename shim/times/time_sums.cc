#include "times/time_sums.h"

#include <algorithm>
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

const PlaceTimes::Met& PlaceTimes::at(const Key& key, std::uint64_t departures, const TimedPlace& place,
                                      watch::Row* row) noexcept {
  std::atomic<Sum*>& last = sums_.home(key_of_place(place));
  Sum* sum = last.load(std::memory_order_relaxed);
  while (sum != nullptr && !(sum->place == place)) sum = sum->next;
  if (sum == nullptr && count_ < most && (sum = new (std::nothrow) Sum(place)) != nullptr) {
    sum->next = last.load(std::memory_order_relaxed);
    last.store(sum, std::memory_order_release);
    ++count_;
  }
  if (sum == nullptr) sum = &others_;
  return lately_[number_of(key)] = {key, departures, sum, row};
}

std::size_t Regions::number_of(std::string_view name) const {
  return static_cast<std::size_t>(std::ranges::find(regions_, name, &Region::name) - regions_.begin());
}

void Regions::enter(std::string_view name, const TimeSums& so_far) {
  const std::size_t number = number_of(name);
  if (number == most) return;
  if (number == regions_.size()) {
    outermost_.resize(number + 1);
    regions_.push_back({std::string(name), 0, {0, std::vector<Ticks>(so_far.calls.size())}});
  }
  Outermost& outermost = outermost_[number];
  if (outermost.depth == 0) outermost.at_entry = so_far;
  open_.push_back(static_cast<std::uint8_t>(number));
  ++outermost.depth;
  ++regions_[number].entries;
}

void Regions::leave_innermost(const TimeSums& so_far) {
  const std::size_t number = open_.back();
  open_.pop_back();
  if (--outermost_[number].depth > 0) return;
  const TimeSums& at_entry = outermost_[number].at_entry;
  TimeSums& sums = regions_[number].sums;
  sums.run += so_far.run - at_entry.run;
  for (std::size_t i = 0; i < sums.calls.size(); ++i) sums.calls[i] += so_far.calls[i] - at_entry.calls[i];
}

bool Regions::leave(std::string_view name, const TimeSums& so_far) {
  const std::size_t number = number_of(name);
  if (number == regions_.size() || outermost_[number].depth == 0) return false;
  while (open_.back() != number) leave_innermost(so_far);
  leave_innermost(so_far);
  return true;
}

const std::vector<Region>& Regions::end(const TimeSums& so_far) {
  while (!open_.empty()) leave_innermost(so_far);
  return regions_;
}

}  // namespace marshal
