// Parts of a run that the program names by MPI_Pcontrol(2, "name") and MPI_Pcontrol(-2, "name").
//
// A region has the time of all that happened within it, in regions inside it, too. Inside itself a region counts once.
// No calls are timed for regions: entering notes the sums so far, and leaving adds what was added to them. A region
// within itself takes one byte, however deep.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "times/tick_clock.h"

namespace marshal {

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
