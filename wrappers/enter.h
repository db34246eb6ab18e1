// What every entry point does: count, keep out of the host's own nested calls, and run the action, if the call has one.
//
// Only what a counted call needs is inlined into its entry point; everything else is in enter.cc, once for all calls.
#pragma once

#include <array>

#include "host/moved_cells.h"
#include "host/presence.h"
#include "wrappers/row.h"
#include "wrappers/slot.h"

#define MARSHAL_ENTRY [[gnu::visibility("default")]]

namespace marshal {

template <class... Words>
[[gnu::always_inline]] inline auto next_of(Slot& slot, const void* caller) {
  return reinterpret_cast<Word (*)(Words...)>(slot.next(caller));
}

// As Inside, for the shortest way: the compiler needs no address of the thread's state for it.
struct InsideHost {
  InsideHost() { ++this_thread_state.depth; }
  ~InsideHost() { --this_thread_state.depth; }
  InsideHost(const InsideHost&) = delete;
  InsideHost& operator=(const InsideHost&) = delete;
};

template <class... Words>
[[gnu::always_inline]] inline Word count_and_pass_on(Word (*next)(Words...), ThreadState& thread, Call call,
                                                     Binding binding, Words... words) {
  count_call(thread, call, binding);
  const InsideHost inside;
  return next(words...);
}

// Counted, and passed on.
template <class... Words>
[[gnu::always_inline]] inline Word pass(Slot& slot, Call call, Binding binding, const void* caller, Words... words) {
  const auto next = next_of<Words...>(slot, caller);
  if (!is_here()) [[unlikely]]
    return next(words...);
  ThreadState& thread = this_thread();
  if (thread.depth != 0) return next(words...);
  return count_and_pass_on(next, thread, call, binding, words...);
}

// By the row's action, and never any exception of Marshal's own.
Word act(const Row& row, Slot& slot, Binding binding, const void* caller, const Word* words, std::size_t count);

template <class... Words>
[[gnu::always_inline]] inline Word act(const Row& row, Slot& slot, Binding binding, const void* caller,
                                       Words... words) {
  const std::array<Word, sizeof...(Words)> all{words...};
  return act(row, slot, binding, caller, all.data(), all.size());
}

// From C, by the row's quick action if that answers; what the ordinary way needs is then not set up.
template <class Quick, class... Words>
[[gnu::always_inline]] inline Word act_quickly(const Row& row, Slot& slot, const void* caller, Words... words) {
  const auto next = next_of<Words...>(slot, caller);
  if (!is_here()) [[unlikely]]
    return next(words...);
  ThreadState& thread = this_thread();
  if (thread.depth == 0) {
    const Quickly quickly = Quick::run(words...);
    if (quickly == Quickly::answered) {
      count_call(thread, row.call, Binding::c);
      return MPI_SUCCESS;
    }
    if (quickly == Quickly::passed_on) return count_and_pass_on(next, thread, row.call, Binding::c, words...);
  }
  return act(row, slot, Binding::c, caller, words...);
}

// Counted, and passed on with the communicator that has the cells of a moved grid in the host's order, if the
// communicator, which is word `comm`, has moved cells.
Word pass_with_cells(const Row& row, Slot& slot, Binding binding, std::size_t comm, Word* words, std::size_t count);

// For what the host does with the topology of a communicator by itself.
template <class... Words>
[[gnu::always_inline]] inline Word pass_on_cells(const Row& row, Slot& slot, Binding binding, const void* caller,
                                                 std::size_t comm, Words... words) {
  const auto next = next_of<Words...>(slot, caller);
  if (!is_here()) [[unlikely]]
    return next(words...);
  ThreadState& thread = this_thread();
  if (thread.depth != 0) return next(words...);
  if (!any_cells_moved()) return count_and_pass_on(next, thread, row.call, binding, words...);
  std::array<Word, sizeof...(Words)> all{words...};
  return pass_with_cells(row, slot, binding, comm, all.data(), all.size());
}

}  // namespace marshal
