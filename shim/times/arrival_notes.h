// When this process entered and left some of its collective calls, of those that end together (record/arrivals.h).
//
// All processes of a communicator note the same calls, without a message. They note the first 63 of them; from then on
// they skip as many as the hash of the last call that was drawn says, in the mean ever more of them. So no loop is met
// at one of its calls alone. A call that is drawn and does not end together is passed over.
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

// True if the `number`-th collective call on the communicator was drawn. Only one thread at once is in one.
MARSHAL_ALWAYS_INLINE inline bool is_drawn(const watch::Row& row, std::uint64_t number) {
  return row.next_drawn.load(std::memory_order_relaxed) == number;
}
// Notes such a call, and draws the next one.
void note_arrival(watch::Row& row, std::uint64_t number, ArrivalNote note) noexcept;
// Such a call does not end together: draws the next one.
void pass_over(watch::Row& row, std::uint64_t number) noexcept;
// Notes a meeting of all processes of the job, in MPI_Init. For one process of each node.
void note_meeting(Ticks entered, Ticks left, std::uint32_t nodes) noexcept;

// The notes of all communicators so far, at most 4096: those of calls whose hash is no more than the number. No call
// may be under way.
std::pair<std::vector<ArrivalNote>, std::uint64_t> arrival_notes();

}  // namespace marshal
