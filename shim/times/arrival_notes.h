// When this process entered and left some of its collective calls, of those that end together (record/arrivals.h).
//
// All processes of a communicator note the same calls, without a message: those whose hash is small, of the identity of
// the communicator and the number of the call on it. The hash is what keeps a loop from meeting one of its calls alone.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/always_inline.h"
#include "base/fixed_table.h"
#include "times/tick_clock.h"
#include "times/time_sums.h"
#include "watch/slots.h"

namespace marshal {

struct ArrivalNote {
  std::uint64_t call = 0;                  // its hash; less than 2^32 for a meeting of Marshal's own
  const PlaceTimes::Sum* place = nullptr;  // null for such a meeting
  std::uint64_t before = 0;                // PlaceTimes::Key::at of the timed call before
  Ticks entered = 0, left = 0;             // 0: it was not timed, or may have ended in some process before others came
  std::uint32_t processes = 0;
  std::uint64_t most = UINT64_MAX;  // of the communicator's calls those are noted whose hash is no more
};

MARSHAL_ALWAYS_INLINE inline std::uint64_t hash_of_call(const watch::Row& row, std::uint64_t number) {
  return spread_at_random(row.identity.load(std::memory_order_relaxed) + number, 64);
}
MARSHAL_ALWAYS_INLINE inline bool is_noted(const watch::Row& row, std::uint64_t hash) {
  return hash <= row.most_noted.load(std::memory_order_relaxed);
}

// Notes a call for which is_noted() is true. Of a communicator the 63 calls with the least hash stay. Of the threads
// only one is on it.
void note_arrival(watch::Row& row, ArrivalNote note) noexcept;
// Notes a meeting of all processes of the job, in MPI_Init.
void note_meeting(Ticks entered, Ticks left) noexcept;

// The notes of all communicators so far, at most 4096: those of calls whose hash is no more than the number. No call
// may be under way.
std::pair<std::vector<ArrivalNote>, std::uint64_t> arrival_notes();

}  // namespace marshal
