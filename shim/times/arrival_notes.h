// When this process entered and left some of its collective calls, of those that end together (record/arrivals.h).
//
// All processes of a communicator note the same calls, without a message. They note the first 63; from then on they
// skip as many as the hash of the last one says, in the mean ever more of them. So no loop is met at one of its calls
// alone.
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
  std::uint64_t call = 0;  // hash of communicator and number; less than 2^32: a meeting of Marshal's own
  const PlaceTimes::Sum* place = nullptr;  // null for such a meeting
  std::uint64_t before = 0;                // PlaceTimes::Key::at of the timed call before
  Ticks entered = 0, left = 0;             // both 0: not timed; 0 and a time: it may have ended before all others came
  std::uint32_t processes = 0;
  std::uint32_t halvings = 0;  // it stands for 2^halvings calls of the communicator
};

// True if this call on the communicator is to be noted. Only one thread at once is in a collective call on it.
MARSHAL_ALWAYS_INLINE inline bool is_noted(watch::Row& row) {
  const std::uint64_t left = row.calls_to_note.load(std::memory_order_relaxed) - 1;
  row.calls_to_note.store(left, std::memory_order_relaxed);
  return left == 0;
}
// Notes such a call, the `number`-th collective one of the communicator.
void note_arrival(watch::Row& row, std::uint64_t number, ArrivalNote note) noexcept;
// Notes a meeting of all processes of the job, in MPI_Init. For one process of each node.
void note_meeting(Ticks entered, Ticks left, std::uint32_t nodes) noexcept;

// The notes of all communicators so far, at most 4096: those of calls whose hash is no more than the number. No call
// may be under way.
std::pair<std::vector<ArrivalNote>, std::uint64_t> arrival_notes();

}  // namespace marshal
