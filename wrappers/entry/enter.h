// The common part of all entry points: count the call, pass on the host's own nested calls, and run the action, if any.
//
// Only what a counted call needs is inlined into its entry point; everything else is in a .cc file, once for all calls.
#pragma once

#include <array>
#include <atomic>
#include <optional>
#include <span>

#include "base/always_inline.h"
#include "host/handles.h"
#include "host/presence.h"
#include "wrappers/entry/call_times.h"
#include "wrappers/entry/program_requests.h"
#include "wrappers/entry/row.h"

#define MARSHAL_ENTRY [[gnu::visibility("default")]]

namespace marshal {

// The next function of an entry point, looked up once. A static object: constant initialisation, no destructor.
class Slot {
 public:
  // The names of the function, each with a zero behind it: Fortran compilers and MPI libraries spell it differently.
  // All spellings lead to the first one that stands behind Marshal, or else to a function that stands in for the
  // missing call (missing_calls.h).
  constexpr explicit Slot(const char* spellings) : spellings_(spellings) {}
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

  // Null before the first call.
  void* found() const { return next_.load(std::memory_order_acquire); }

  // `caller`: a code address in the program. Thread safe.
  void* next(const void* caller) {
    void* known = found();
    return known ? known : resolve(caller);
  }

 private:
  // Meets the host.
  void* resolve(const void* caller) noexcept;

  std::atomic<void*> next_{nullptr};
  const char* spellings_;
};

template <class... Words>
MARSHAL_ALWAYS_INLINE inline auto next_of(Slot& slot, const void* caller) {
  return reinterpret_cast<Word (*)(Words...)>(slot.next(caller));
}

template <class... Words>
MARSHAL_ALWAYS_INLINE inline Word pass_inside(Word (*next)(Words...), Words... words) {
  const Inside inside;
  return next(words...);
}

template <class... Words>
[[gnu::noinline, gnu::cold]] Word pass_sample(Word (*next)(Words...), CallCounts& counts, Sampling::Alike& alike,
                                              Call call, Binding binding, const void* caller, int comm,
                                              Words... words) {
  const CallPlace place{call, binding, caller, comm};
  return run_sampled(counts, alike, place, std::array<Word, sizeof...(Words)>{words...},
                     [&] { return pass_inside(next, words...); });
}

// True for C's constructors of datatypes, rows that follow each other in calls.table. In them the host runs nothing of
// the program's but error handlers. (Fortran's may call those of C.)
constexpr bool makes_type_alone(CallPlace place) {
  return place.binding == Binding::c && place.call >= Call::Type_contiguous &&
         place.call <= Call::Type_create_f90_complex;
}

template <class... Words>
MARSHAL_ALWAYS_INLINE inline Word pass_sampled(Word (*next)(Words...), CallCounts& counts, CallPlace place,
                                               Words... words) {
  Sampling::Alike& alike = alike_calls(counts, place, std::array<Word, sizeof...(Words)>{words...});
  if (alike.pass()) [[likely]]
    return makes_type_alone(place) ? next(words...) : pass_inside(next, words...);
  // One by one: a CallPlace would be written to the stack in front of each call.
  return pass_sample(next, counts, alike, place.call, place.binding, place.caller, place.comm, words...);
}

// Counts the call, passes it on and times it.
template <class... Words>
MARSHAL_ALWAYS_INLINE inline Word count_and_pass_on(Word (*next)(Words...), ThreadState& thread, CallPlace place,
                                                    Words... words) {
  CallCounts& counts = count_call(thread, place.call, place.binding);
  Word result;
  if (is_timed(place.call))
    result = run_timed<false>(counts, place, std::array<Word, sizeof...(Words)>{words...},
                              [&] { return pass_inside(next, words...); });
  else
    result = pass_sampled(next, counts, place, words...);
  if constexpr (sizeof...(Words) >= 2)
    if (makes_request(place.call))
      note_made_request(counts, place.binding, result, std::array<Word, sizeof...(Words)>{words...}.data(),
                        sizeof...(Words));
  return result;
}

template <class... Words>
struct ProgramCall {
  Word (*next)(Words...);
  ThreadState* thread;  // null where the call is not the program's own, or Marshal is not there: it is only passed on
};

template <class... Words>
MARSHAL_ALWAYS_INLINE inline ProgramCall<Words...> program_call(Slot& slot, const void* caller) {
  const auto next = next_of<Words...>(slot, caller);
  if (!is_here()) [[unlikely]]
    return {next, nullptr};
  ThreadState& thread = this_thread();
  return {next, is_nested(thread) ? nullptr : &thread};
}

// Counts the call and passes it on.
template <class... Words>
MARSHAL_ALWAYS_INLINE inline Word pass(Slot& slot, CallPlace place, Words... words) {
  const auto [next, thread] = program_call<Words...>(slot, place.caller);
  if (thread == nullptr) return next(words...);
  return count_and_pass_on(next, *thread, place, words...);
}

// Runs the row's action. No exception of Marshal's own leaves it.
Word act(const CallRow& row, Slot& slot, Binding binding, const void* caller, const Word* words, std::size_t count);

template <class... Words>
MARSHAL_ALWAYS_INLINE inline Word act(const CallRow& row, Slot& slot, Binding binding, const void* caller,
                                      Words... words) {
  const std::array<Word, sizeof...(Words)> all{words...};
  return act(row, slot, binding, caller, all.data(), all.size());
}

// The same from C, outside the quick way: that one needs no stack frame for it.
template <class... Words>
[[gnu::noinline, gnu::cold]] Word act_apart(const CallRow& row, Slot& slot, const void* caller, Words... words) {
  return act(row, slot, Binding::c, caller, words...);
}

// Before the host's function is known.
template <class... Words>
[[gnu::noinline, gnu::cold]] Word act_first(const CallRow& row, Slot& slot, const void* caller, Words... words) {
  const auto next = next_of<Words...>(slot, caller);
  return is_here() ? act(row, slot, Binding::c, caller, words...) : next(words...);
}

// The row's quick action. True if it answered, or said who is to, whose code is then `code`.
template <class Quick, class... Words>
MARSHAL_ALWAYS_INLINE inline bool is_done_quickly(Quick& quick, const CallRow& row, CallCounts& counts,
                                                  Word (*next)(Words...), const void* caller, Word& code,
                                                  Words... words) {
  const Quickly quickly = quick.run(caller, words...);
  if (quickly == Quickly::unanswered) return false;
  add_to_own(counts.of[static_cast<std::size_t>(row.call)], 1);
  if (quickly == Quickly::answered) {
    code = MPI_SUCCESS;
    return true;
  }
  if constexpr (requires { quick.ended(MPI_SUCCESS); })
    if (quickly == Quickly::passed_on_and_told) {
      code = next(words...);
      quick.ended(static_cast<int>(code));
      return true;
    }
  code = quickly == Quickly::passed_on_inside ? pass_inside(next, words...) : next(words...);
  return true;
}

template <class Quick, class... Words>
[[gnu::noinline, gnu::cold]] Word act_on_sample(const CallRow& row, Slot& slot, CallCounts& counts,
                                                Sampling::Alike& alike, Word (*next)(Words...), const void* caller,
                                                Words... words) {
  const Ticks began = ticks_now();
  Word code = 0;
  Quick quick{};
  if (!is_done_quickly(quick, row, counts, next, caller, code, words...)) return act_apart(row, slot, caller, words...);
  if (is_timing())
    add_sample(counts, alike, {row.call, Binding::c, caller, -1}, 0, began, ticks_now());
  else
    counts.sampling.not_timed(alike);
  return code;
}

// A call that the quick action was not for: it has not passed yet.
template <class... Words>
[[gnu::noinline, gnu::cold]] Word act_after_all(const CallRow& row, Slot& slot, CallCounts& counts, const void* caller,
                                                Words... words) {
  ++alike_calls(counts, CallPlace{row.call, Binding::c, caller, -1}, std::array<Word, sizeof...(Words)>{words...})
        .before;
  return act_apart(row, slot, caller, words...);
}

// From C: tries the row's quick action first. If it answers, the stack frame of the ordinary path is not set up.
template <class Quick, class... Words>
MARSHAL_ALWAYS_INLINE inline Word act_quickly(const CallRow& row, Slot& slot, const void* caller, Words... words) {
  const auto next = reinterpret_cast<Word (*)(Words...)>(slot.found());
  if (next == nullptr) [[unlikely]]
    return act_first(row, slot, caller, words...);
  if (!is_here()) [[unlikely]]
    return next(words...);
  ThreadState& thread = this_thread();
  CallCounts* const counts = thread.counts;
  if (thread.depth == 0 && counts != nullptr) [[likely]] {
    Sampling::Alike& alike =
        alike_calls(*counts, CallPlace{row.call, Binding::c, caller, -1}, std::array<Word, sizeof...(Words)>{words...});
    if (!alike.pass()) [[unlikely]]
      return act_on_sample<Quick>(row, slot, *counts, alike, next, caller, words...);
    Word code = 0;
    Quick quick;
    if (is_done_quickly(quick, row, *counts, next, caller, code, words...)) return code;
    return act_after_all(row, slot, *counts, caller, words...);
  }
  return act_apart(row, slot, caller, words...);
}

// From Fortran, a call whose only argument is a handle. The quick action gets it as C has it; it never answers.
template <class Quick, class Handle, class... Words>
MARSHAL_ALWAYS_INLINE inline Word act_quickly_in_fortran(const CallRow& row, Slot& slot, Binding binding,
                                                         const void* caller, Word number, Words... words) {
  const auto [next, thread] = program_call<Word, Words...>(slot, caller);
  if (thread == nullptr) return next(number, words...);
  Handle handle{};
  from_fortran(*from_word<const MPI_Fint*>(number), handle);
  if (Quick::run(caller, to_word(&handle)) == Quickly::unanswered)
    return act(row, slot, binding, caller, number, words...);
  return count_and_pass_on(next, *thread, CallPlace{row.call, binding, caller, -1}, number, words...);
}

// Calls `function` with so many words.
Word call_host(void* function, const Word* words, std::size_t count);

// Counts the call, passes it on and times it. `communicator`: the key of the one that the program passed.
Word count_and_pass_on_words(Slot& slot, CallPlace place, std::span<const Word> words);

// Passes the call on, unless it is the program's own and Marshal is there.
std::optional<Word> pass_on_others(Slot& slot, const void* caller, std::span<const Word> words);

// The last word of a call in Fortran is ierror, which may be absent in mpi_f08. The host then gets `code` in its place:
// a count needs to know whether the call failed, as the host must not be asked about the arguments of a failed call.
MARSHAL_ALWAYS_INLINE inline void provide_code(Binding binding, std::span<Word> words, MPI_Fint& code) {
  if (binding != Binding::c && words.back() == 0) words.back() = to_word(&code);
}

// The words of a call, with a place for its code.
template <std::size_t n>
class WordsWithCode {
 public:
  MARSHAL_ALWAYS_INLINE WordsWithCode(Binding binding, const std::array<Word, n>& given) : all(given) {
    provide_code(binding, all, code_);
  }
  WordsWithCode(const WordsWithCode&) = delete;
  WordsWithCode& operator=(const WordsWithCode&) = delete;

  std::array<Word, n> all;

 private:
  MPI_Fint code_ = MPI_SUCCESS;
};

// The entry points of MPI_Pcontrol: what the program says of its times, and then the host's, which mostly do nothing.
// The words are those of all registers of integers: behind the level there may be any arguments.
template <class... Words>
MARSHAL_ALWAYS_INLINE inline Word pass_control(Slot& slot, CallPlace place, Words... words) {
  const auto [next, thread] = program_call<Words...>(slot, place.caller);
  if (thread == nullptr) return next(words...);
  const std::array<Word, sizeof...(Words)> all{words...};
  if (place.binding == Binding::c)
    control_times(static_cast<int>(all[0]), from_word<const char*>(all[1]));
  else
    control_times(*from_word<const MPI_Fint*>(all[0]), nullptr);
  return count_and_pass_on(next, *thread, place, words...);
}

}  // namespace marshal
