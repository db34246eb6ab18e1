// The time of a thread's calls by the place of the program and the communicator.
//
// One thread writes, anybody may read at the same time. A call at a place and on a communicator that the thread met
// lately is added in a few instructions.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/always_inline.h"
#include "base/fixed_table.h"
#include "callsites/call_frames.h"
#include "times/tick_clock.h"
#include "watch/slots.h"

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
    constexpr Key() = default;  // of no call
    Key(const void* caller, std::uint16_t call, std::uint64_t passed)
        : at(reinterpret_cast<std::uintptr_t>(caller) ^ (std::uint64_t{call} << 48)), communicator(passed) {}
    bool operator==(const Key&) const = default;
    std::uint16_t call() const { return static_cast<std::uint16_t>(at >> 48); }
    std::uint64_t at = 0, communicator = 0;
  };

  struct Sum {
    constexpr explicit Sum(const TimedPlace& of) : place(of) {}
    const TimedPlace place;
    std::atomic<std::uint64_t> calls{0};
    std::atomic<Ticks> ticks{0};
    Sum* next = nullptr;

    void add(std::uint64_t more_calls, Ticks more) {
      calls.store(calls.load(std::memory_order_relaxed) + more_calls, std::memory_order_relaxed);
      ticks.store(ticks.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
    }
  };

  // A place and a communicator that the thread met lately.
  struct Met {
    Key key;
    std::uint64_t departures = 0;
    Sum* sum = nullptr;
    watch::Row* row = nullptr;  // the communicator's, if that is watched
  };

  // A place that the thread met lately under this key, or null. `departures`: how often the communicator's handle may
  // have come to mean another one so far.
  MARSHAL_ALWAYS_INLINE const Met* lately(const Key& key, std::uint64_t departures) const {
    const Met& met = lately_[number_of(key)];
    return met.key == key && met.departures == departures ? &met : nullptr;
  }

  // Finds or makes the sum of a place and remembers it under `key`. If there are `most` places, or no memory, it is
  // that of all others.
  const Met& at(const Key& key, std::uint64_t departures, const TimedPlace& place, watch::Row* row) noexcept;

  // The same for who knows Key::at alone; null if it is forgotten.
  const Sum* lately_at(std::uint64_t at) const {
    const auto met =
        std::ranges::find_if(lately_, [at](const Met& one) { return one.sum != nullptr && one.key.at == at; });
    return met == lately_.end() ? nullptr : met->sum;
  }

  template <class Visit>
  void each(Visit&& visit) const {
    for (const std::atomic<Sum*>& first : sums_)
      for (const Sum* sum = first.load(std::memory_order_acquire); sum != nullptr; sum = sum->next) visit(*sum);
  }
  const Sum& others() const { return others_; }
  std::size_t count() const { return count_; }  // for the thread that writes

  static constexpr std::size_t most = 512;

 private:
  static std::size_t number_of(const Key& key) {
    return FixedTable<Met, 128>::home_of(key.at ^ spread(key.communicator, 64));
  }

  std::array<Met, 128> lately_{};
  FixedTable<std::atomic<Sum*>, 256> sums_{};  // the last one made of those with a home; its `next` follows
  std::size_t count_ = 0;
  Sum others_{TimedPlace{}};
};

// Parts of a run that the program names by MPI_Pcontrol(2, "name") and MPI_Pcontrol(-2, "name").
//
// A region has the time of all that happened within it, in regions inside it, too. Inside itself a region counts once.
// No calls are timed for regions: entering notes the sums so far, and leaving adds what was added to them. A region
// within itself takes one byte, however deep.

// The sums of one thread: of the run, without pauses, and of its calls, by their numbers.
struct TimeSums {
  Ticks run = 0;
  std::vector<Ticks> calls;
};

struct Region {
  std::string name;
  std::uint64_t entries = 0;
  TimeSums sums;
};

// Not thread safe.
class Regions {
 public:
  static constexpr std::size_t most = 64;

  // Beyond `most` names nothing is noted.
  void enter(std::string_view name, const TimeSums& so_far);
  // Leaves the innermost region of this name, and all within it that the program never left. False if there is none.
  bool leave(std::string_view name, const TimeSums& so_far);
  // Leaves all. In the order of their first entries.
  const std::vector<Region>& end(const TimeSums& so_far);

 private:
  struct Outermost {
    std::size_t depth = 0;  // entries that were not left
    TimeSums at_entry;      // of the first of them
  };
  void leave_innermost(const TimeSums& so_far);
  std::size_t number_of(std::string_view name) const;

  std::vector<Region> regions_;
  std::vector<Outermost> outermost_;  // one for each region
  std::vector<std::uint8_t> open_;    // numbers of the regions that were entered and not left, innermost last
};

}  // namespace marshal
