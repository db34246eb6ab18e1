// The time that the program's calls take, by call, by place of the program and by communicator.
//
// Calls that wait for other processes are timed each. Others may take less than the clock does: of these some are timed
// and stand for the rest (times/sampling.h). The part of calls.table that a call stands in says which of both it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/always_inline.h"
#include "callsites/python_place.h"
#include "host/handles.h"
#include "record/record.h"
#include "times/arrival_notes.h"
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
const PlaceTimes::Met& meet_first(CallCounts& counts, CallPlace place, std::uint64_t communicator) noexcept;

// The place and the communicator of a call.
MARSHAL_ALWAYS_INLINE inline const PlaceTimes::Met& meet(CallCounts& counts, CallPlace place,
                                                         std::uint64_t communicator) {
  place.caller = place_of_call(place.caller);
  const PlaceTimes::Key key(place.caller, static_cast<std::uint16_t>(place.call), communicator);
  const PlaceTimes::Met* const met =
      counts.places.lately(key, handle_departures.of(communicator).load(std::memory_order_acquire));
  if (met != nullptr) [[likely]]
    return *met;
  return meet_first(counts, place, communicator);
}

// Notes a call that ends together. Where it may have ended in one process before another came, the note has no entry.
[[gnu::cold]] void note_arrival_of(watch::Row& row, std::uint64_t number, ArrivalNote note, CallPlace place,
                                   std::span<const Word> words, Word result) noexcept;

// Shows where the thread stands in a call that may wait (watch/slots.h), while this exists.
class Standing {
 public:
  template <class Words>
  MARSHAL_ALWAYS_INLINE Standing(CallCounts& counts, CallPlace place, std::uint64_t communicator, const Words& words)
      : Standing(counts, meet(counts, place, communicator), place, words) {}
  template <class Words>
  MARSHAL_ALWAYS_INLINE Standing(CallCounts& counts, const PlaceTimes::Met& met, CallPlace place, const Words& words)
      : slot_(*counts.slot), sum_(met.sum) {
    counts.standing = reinterpret_cast<std::uintptr_t>(__builtin_dwarf_cfa());
    if (is_numbered(place.call)) {
      const std::uint64_t number = met.row == nullptr ? 0 : met.row->count();
      slot_.show(slot_.number, number);
      if (number != 0 && is_drawn(*met.row, number)) [[unlikely]] {
        if (ends_together(place.call))
          noted_row_ = met.row, number_ = number, before_ = slot_.at.load(std::memory_order_relaxed);
        else
          pass_over(*met.row, number);
      }
    }
    slot_.show(slot_.at, met.key.at);
    if (place.comm >= 0) slot_.show(slot_.row, reinterpret_cast<std::uintptr_t>(met.row));
    if (peer_words(place.call).peer >= 0) slot_.show(slot_.peer_and_tag, peer_and_tag(place, words));
    slot_.move(1);
  }
  MARSHAL_ALWAYS_INLINE ~Standing() { slot_.move(1); }
  Standing(const Standing&) = delete;
  Standing& operator=(const Standing&) = delete;

  // The peer that a call names, in the upper half, and the tag.
  template <class Words>
  MARSHAL_ALWAYS_INLINE static std::uint64_t peer_and_tag(CallPlace place, const Words& words) {
    const PeerWords at = peer_words(place.call);
    const auto number_at = [&](int i) -> std::uint64_t {
      if (i < 0) return 0;
      const Word word = words[static_cast<std::size_t>(i)];
      return static_cast<std::uint32_t>(place.binding == Binding::c ? from_word<int>(word)
                                                                    : *from_word<const MPI_Fint*>(word));
    };
    return number_at(at.peer) << 32 | number_at(at.tag);
  }

  MARSHAL_ALWAYS_INLINE void add_time(CallCounts& counts, Call call, Ticks ticks) const {
    add_to_own(counts.ticks[static_cast<std::size_t>(call)], ticks);
    sum_->add(1, ticks);
  }

  MARSHAL_ALWAYS_INLINE bool is_noted_call() const { return noted_row_ != nullptr; }
  // Notes such a call, with when it was entered and left.
  template <class Words>
  MARSHAL_ALWAYS_INLINE void note(CallPlace place, Ticks entered, Ticks left, Words words, Word result) const {
    note_arrival_of(*noted_row_, number_, {0, sum_, before_, entered, left}, place, words, result);
  }

 private:
  watch::Slot& slot_;
  PlaceTimes::Sum* sum_;
  watch::Row* noted_row_ = nullptr;  // of a call that is noted
  std::uint64_t number_ = 0, before_ = 0;
};

// A test or probe that was sampled has returned: whether it found anything is a movement or none.
void note_poll(CallCounts& counts, CallPlace place, std::uint64_t communicator, std::span<const Word> words) noexcept;

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

// Runs a call that was drawn.
template <class Run>
Word run_sampled(CallCounts& counts, Sampling::Alike& alike, CallPlace place, std::span<const Word> words, Run run) {
  const std::uint64_t communicator = passed_communicator(place, words);
  const bool is_timed = is_timing();
  if (!is_timed) counts.sampling.not_timed(alike);
  const Ticks began = is_timed ? ticks_now() : 0;
  const Word result = run();
  if (is_timed && is_timing()) add_sample(counts, alike, place, communicator, began, ticks_now());
  if (answer_word(place.call) >= 0) note_poll(counts, place, communicator, words);
  return result;
}

// Runs a call that is timed each: shows where it stands, and takes its time. Only an action of Marshal's may end the
// times in it.
template <bool is_action, class Words, class Run>
MARSHAL_ALWAYS_INLINE inline Word run_timed(CallCounts& counts, CallPlace place, const Words& words, Run run) {
  if (!is_timing() && !watch::is_on()) return run();
  const Standing standing(counts, place, passed_communicator(place, words), words);
  const bool is_timed = is_timing(), is_noted = standing.is_noted_call();
  if (!is_timed && !is_noted) return run();
  const Ticks began = ticks_now();
  const Word result = run();
  const Ticks ended = ticks_now();
  if (is_timed && (!is_action || is_timing())) standing.add_time(counts, place.call, ticks_between(began, ended));
  if (is_noted) [[unlikely]]
    standing.note(place, is_timed ? began : 0, is_timed ? ended : 0, words, result);
  return result;
}

// The run's times begin at the end of the first call that begins MPI, `first`, which this thread made at `began`.
void begin_times(Call first, Ticks began) noexcept;
// MPI_Pcontrol with the level of the program. `name`: a word that may be no address. Thread safe.
void control_times(int level, const char* name) noexcept;
void put_times_into(report::Record& record);
// Not while another thread is in a call.
void put_arrivals_into(report::Record& record);

}  // namespace marshal
