// Entry points of calls that send: passed on, and then counted, if they succeeded, by who gets how much. Only words of
// the call are read, in C or Fortran: buffers are never touched.
#pragma once

#include "base/always_inline.h"
#include "communicators/persistent_requests.h"
#include "communicators/sent_messages.h"
#include "host/handles.h"
#include "host/predefined.h"
#include "wrappers/enter.h"

namespace marshal {

template <Binding binding, class Number>
MARSHAL_ALWAYS_INLINE inline Number number_from(Word word) {
  if constexpr (binding == Binding::c)
    return from_word<Number>(word);
  else
    return *from_word<const Number*>(word);
}

template <Binding binding, HandleOf what>
MARSHAL_ALWAYS_INLINE inline PassedHandle<what> handle_from(Word word) {
  using Passed = PassedHandle<what>;
  if constexpr (binding == Binding::c)
    return Passed::from_c(from_word<typename Passed::Handle>(word));
  else
    return Passed::from_fortran_number(*from_word<const MPI_Fint*>(word));
}

template <Binding binding>
inline bool is_no_op(Word word) {
  MPI_Op op{};
  if constexpr (binding == Binding::c)
    op = from_word<MPI_Op>(word);
  else
    from_fortran(*from_word<const MPI_Fint*>(word), op);
  return op == predefined().op_no_op;
}

// Which words of a call say where its message goes and how long it is: `count` is -1 for one instance of the type. An
// access to a window may move its data several times: there and back, unless its operation, word `op`, is MPI_NO_OP.
template <HandleOf place, int where, int rank, int type, int count, class Count, int times, int op>
struct Sends {
  template <Binding binding>
  MARSHAL_ALWAYS_INLINE static void note(const Word* words) {
    std::int64_t instances = 1;
    if constexpr (count >= 0) instances = number_from<binding, Count>(words[count]);
    if constexpr (times > 1) instances *= op >= 0 && is_no_op<binding>(words[op]) ? 1 : times;
    count_message(handle_from<binding, place>(words[where]), number_from<binding, std::int32_t>(words[rank]), instances,
                  handle_from<binding, HandleOf::type>(words[type]));
  }
};

// True if the host's function succeeded: C returns the code; Fortran writes it to word `ierror` (WordsWithCode).
MARSHAL_ALWAYS_INLINE inline bool succeeded(Binding binding, Word result, const Word* words, std::size_t ierror) {
  if (binding == Binding::c) return static_cast<int>(result) == MPI_SUCCESS;
  return *from_word<const MPI_Fint*>(words[ierror]) == MPI_SUCCESS;
}

template <class Sends, Binding binding, std::size_t ierror, class... Words>
MARSHAL_ALWAYS_INLINE inline Word pass_send(Slot& slot, Call call, const void* caller, Words... words) {
  const auto note = [](Word result, const Word* all) {
    if (succeeded(binding, result, all, ierror)) Sends::template note<binding>(all);
  };
  return pass_watched(slot, call, binding, caller, note, words...);
}

// MPI_Start and MPI_Startall. Nothing more than passing on in a program without persistent requests that count.
Word start(Slot& slot, Call call, Binding binding, const void* caller, const Word* words, std::size_t count);

template <class... Words>
MARSHAL_ALWAYS_INLINE inline Word pass_start(Slot& slot, Call call, Binding binding, const void* caller,
                                             Words... words) {
  const auto [next, thread] = program_call<Words...>(slot, caller);
  if (thread == nullptr) return next(words...);
  if (!any_persistent_requests()) return count_and_pass_on(next, *thread, call, binding, words...);
  const WordsWithCode<sizeof...(Words)> given(binding, {words...});
  return start(slot, call, binding, caller, given.all.data(), given.all.size());
}

}  // namespace marshal
