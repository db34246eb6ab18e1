// Each thread's depth inside Marshal, and its counts of calls.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "base/always_inline.h"
#include "base/thread_records.h"
#include "copies/extended_requests.h"
#include "times/sampling.h"
#include "times/time_sums.h"
#include "watch/slots.h"
#include "wrappers/entry/calls.h"

namespace marshal {

enum class Binding : unsigned char { c, mpif, f08, f08ts };  // f08ts: mpi_f08 with choice buffers as descriptors
inline constexpr std::size_t binding_count = 4;

// Counts beside those of calls: of work that Marshal did itself, and of requests.
enum class Tally : unsigned char {
  packs,
  packed_bytes,
  unpacks,
  unpacked_bytes,
  ranks_translated,
  reordered_grids,
  requests_not_made,  // by nonblocking calls that failed
  requests_ended      // of nonblocking calls
};
inline constexpr std::size_t tally_count = 8;

// The counts of one thread.
struct CallCounts : ThreadRecord<CallCounts> {
  std::array<std::atomic<std::uint64_t>, call_count> of{};
  std::array<std::atomic<std::uint64_t>, call_count> ticks{};  // of times/tick_clock.h
  PlaceTimes places;
  std::atomic<bool> began_mpi{false};                                // this thread did
  std::array<std::atomic<std::uint64_t>, binding_count> bindings{};  // those of C are the rest of all calls
  std::array<std::atomic<std::uint64_t>, tally_count> tallies{};
  Sampling sampling;
  watch::Slot unseen;  // where nobody watches this thread
  watch::Slot* slot = &unseen;
  std::uintptr_t standing = 0;  // where its stack was at the last call that the slot showed
};

struct ThreadState {
  unsigned depth = 0;  // > 0: inside a call that Marshal already sees, or inside Marshal
  CallCounts* counts = nullptr;
  bool comes_again = false;  // the host is to make a call from Fortran by that of C, which is the program's own, too
};

inline thread_local constinit ThreadState this_thread_state [[gnu::tls_model("initial-exec")]];
inline ThreadState& this_thread() { return this_thread_state; }

// True inside a call that Marshal already sees. A call that was left by longjmp stays one: then the thread's stack is
// as long as it was there, or shorter. Calls differ in the bytes of their arguments.
MARSHAL_ALWAYS_INLINE inline bool is_nested(const ThreadState& thread) {
  if (thread.depth == 0) [[likely]]
    return false;
  constexpr std::uintptr_t arguments = 64;
  if (CallCounts* const counts = thread.counts;
      counts != nullptr && counts->slot->moves.load(std::memory_order_relaxed) % 2 != 0 &&
      reinterpret_cast<std::uintptr_t>(__builtin_dwarf_cfa()) + arguments > counts->standing)
    watch::lose_slot(counts->slot, counts->unseen);
  return true;
}

// The calling thread's block, made or taken over at its first call.
CallCounts& new_counts(ThreadState& thread);
// Only this thread writes: a load and a store are enough, and cost no locked instruction.
MARSHAL_ALWAYS_INLINE inline void add_to_own(std::atomic<std::uint64_t>& n, std::uint64_t more) {
  n.store(n.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
}

MARSHAL_ALWAYS_INLINE inline CallCounts& count_call(ThreadState& thread, Call call, Binding binding) {
  CallCounts& counts = thread.counts ? *thread.counts : new_counts(thread);
  if (binding != Binding::c) add_to_own(counts.bindings[static_cast<std::size_t>(binding)], 1);
  add_to_own(counts.of[static_cast<std::size_t>(call)], 1);
  return counts;
}
// A test that found something is a movement.
MARSHAL_ALWAYS_INLINE inline void note_success(ThreadState& thread) {
  if (thread.counts != nullptr) thread.counts->slot->move(2);
}
MARSHAL_ALWAYS_INLINE inline void count(Tally tally, std::uint64_t more = 1) {
  ThreadState& thread = this_thread();
  CallCounts& counts = thread.counts ? *thread.counts : new_counts(thread);
  add_to_own(counts.tallies[static_cast<std::size_t>(tally)], more);
}

struct CallTotals {
  std::array<std::uint64_t, call_count> of{};
  std::array<std::uint64_t, binding_count> bindings{};
  std::array<std::uint64_t, tally_count> tallies{};
  std::uint64_t operator[](Tally tally) const { return tallies[static_cast<std::size_t>(tally)]; }
};
CallTotals total_counts();  // over all threads so far; lock free
// The blocks of all threads so far, ended ones included.
const ThreadRecords<CallCounts>& counts_of_all_threads();

// While it lives, MPI calls of this thread go to the host uncounted.
class Inside {
 public:
  Inside() { ++this_thread_state.depth; }
  ~Inside() {
    if (this_thread_state.depth == 1 && any_left_requests) [[unlikely]]
      finish_left_requests();
    --this_thread_state.depth;
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

}  // namespace marshal
