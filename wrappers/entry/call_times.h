// The time that the program's calls take, by call, by place of the program and by communicator.
//
// Calls that wait for other processes are timed each. Others may take less than the clock does: of these some are timed
// and stand for the rest (times/sampling.h). The part of calls.table that a call stands in says which of both it is.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/always_inline.h"
#include "callsites/python_place.h"
#include "host/handles.h"
#include "record/record.h"
#include "times/tick_clock.h"
#include "times/time_sums.h"
#include "wrappers/entry/call_words.h"
#include "wrappers/entry/row.h"
#include "wrappers/entry/thread_state.h"

namespace marshal {

// A call of the program as the entry point knows it. `comm`: the number of the word that is a communicator, or -1.
// Functions take it by value: its address, known outside, would keep the compiler from knowing it as a constant.
struct CallPlace {
  Call call;
  Binding binding;
  const void* caller;  // the address that it returns to, or its place (place_of_call)
  int comm;
};

template <HandleOf what>
MARSHAL_ALWAYS_INLINE inline PassedHandle<what> handle_from(Binding binding, Word word) {
  using Passed = PassedHandle<what>;
  return binding == Binding::c ? Passed::from_c(from_word<typename Passed::Handle>(word))
                               : Passed::from_fortran_number(*from_word<const MPI_Fint*>(word));
}

// The key of the call's communicator as the program passed it (PassedHandle); 0: it has none. To be read before the
// call, which may change the handle.
template <class Words>
MARSHAL_ALWAYS_INLINE inline std::uint64_t passed_communicator(CallPlace place, const Words& words) {
  if (place.comm < 0) return 0;
  return handle_from<HandleOf::comm>(place.binding, words[static_cast<std::size_t>(place.comm)]).key;
}

// The slow way: names the place and its communicator.
void add_at_place(CallCounts& counts, CallPlace place, std::uint64_t communicator, std::uint64_t calls,
                  Ticks ticks) noexcept;

MARSHAL_ALWAYS_INLINE inline void add_time(CallCounts& counts, CallPlace place, std::uint64_t communicator,
                                           Ticks ticks) {
  add_to_own(counts.ticks[static_cast<std::size_t>(place.call)], ticks);
  place.caller = place_of_call(place.caller);
  if (const PlaceTimes* const places = counts.places.load(std::memory_order_relaxed); places != nullptr) [[likely]] {
    const PlaceTimes::Key key(place.caller, static_cast<std::uint16_t>(place.call), communicator);
    PlaceTimes::Sum* const sum =
        places->lately(key, handle_departures.of(communicator).load(std::memory_order_acquire));
    if (sum != nullptr) [[likely]]
      return sum->add(1, ticks);
  }
  add_at_place(counts, place, communicator, 1, ticks);
}

// How many elements the call moves, of a call whose row says that; else 0.
template <class Words>
MARSHAL_ALWAYS_INLINE inline std::int64_t elements_of(CallPlace place, const Words& words) {
  const ElementCount count = element_count(place.call);
  return count.word < 0 ? 0 : WordReader{place.binding, words.data()}.number(count.word, count.is_large);
}
// The calls that this one is alike, of those that are not timed each.
template <class Words>
MARSHAL_ALWAYS_INLINE inline Sampling::Alike& alike_calls(CallCounts& counts, CallPlace place, const Words& words) {
  return counts.sampling.alike(place.caller, static_cast<std::uint32_t>(place.call), elements_of(place, words));
}

// One call that stands for those that it is alike.
void add_sample(CallCounts& counts, Sampling::Alike& alike, CallPlace place, std::uint64_t communicator, Ticks began,
                Ticks ended) noexcept;

// The run's times begin at the end of the first call that begins MPI, `first`, which this thread made at `began`.
void begin_times(Call first, Ticks began) noexcept;
// MPI_Pcontrol with the level of the program. `name`: a word that may be no address. Thread safe.
void control_times(int level, const char* name) noexcept;
void put_times_into(report::Record& record);

}  // namespace marshal
