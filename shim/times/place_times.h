// The time of a thread's calls by the place of the program and the communicator.
//
// One thread writes, anybody may read at the same time. A call at a place and on a communicator that the thread met
// lately is added in a few instructions.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "base/always_inline.h"
#include "base/fixed_table.h"
#include "callsites/call_frames.h"
#include "times/tick_clock.h"

namespace marshal {

// A communicator as the report names it.
struct TimedCommunicator {
  const char* call = nullptr;  // a literal: what made it, or its predefined name; null: the call has none
  CallFrames frames;           // where it was made; none for predefined ones
  std::uint32_t processes = 0;
  bool operator==(const TimedCommunicator&) const = default;
};

struct TimedPlace {
  std::uint16_t call = 0;  // number of the MPI call
  CallFrames frames;
  TimedCommunicator communicator;
  bool operator==(const TimedPlace&) const = default;
};

class PlaceTimes {  // HANDLES: times of calls by place
 public:
  // What a call is known by within its thread: where it returns to, its number, and its communicator's handle as the
  // program passed it (0: none).
  struct Key {
    Key(const void* caller, std::uint16_t call, std::uint64_t passed)
        : at(reinterpret_cast<std::uintptr_t>(caller) ^ (std::uint64_t{call} << 48)), communicator(passed) {}
    bool operator==(const Key&) const = default;
    std::uint64_t at, communicator;
  };

  struct Sum {
    explicit Sum(const TimedPlace& of) : place(of) {}
    const TimedPlace place;
    std::atomic<std::uint64_t> calls{0};
    std::atomic<Ticks> ticks{0};
    Sum* next = nullptr;

    void add(std::uint64_t more_calls, Ticks more) {
      calls.store(calls.load(std::memory_order_relaxed) + more_calls, std::memory_order_relaxed);
      ticks.store(ticks.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
    }
  };

  // The sum that the thread met lately under this key, or null. `departures`: how often the communicator's handle may
  // have come to mean another one so far.
  MARSHAL_ALWAYS_INLINE Sum* lately(const Key& key, std::uint64_t departures) const {
    const Lately& slot = lately_[number_of(key)];
    return slot.key == key && slot.departures == departures ? slot.sum : nullptr;
  }

  // Finds or makes the sum of a place and remembers it under `key`. If there are `most` places, or no memory, it is
  // that of all others.
  Sum& at(const Key& key, std::uint64_t departures, const TimedPlace& place) noexcept;

  template <class Visit>
  void each(Visit&& visit) const {
    for (const std::atomic<Sum*>& first : sums_)
      for (const Sum* sum = first.load(std::memory_order_acquire); sum != nullptr; sum = sum->next) visit(*sum);
  }
  const Sum& others() const { return others_; }

  static constexpr std::size_t most = 512;

 private:
  struct Lately {
    Key key{nullptr, 0, ~std::uint64_t{0}};
    std::uint64_t departures = 0;
    Sum* sum = nullptr;
  };
  static std::size_t number_of(const Key& key) {
    return FixedTable<Lately, 128>::home_of(key.at ^ spread(key.communicator, 64));
  }

  std::array<Lately, 128> lately_{};
  FixedTable<std::atomic<Sum*>, 256> sums_{};  // the last one made of those with a home; its `next` follows
  std::size_t count_ = 0;
  Sum others_{TimedPlace{}};
};

}  // namespace marshal
