// Entry points of calls that send: passed on, and then counted, if they succeeded, by who gets how much. Only words of
// the call are read, in C or Fortran: buffers are never touched.
#pragma once

#include <array>
#include <span>

#include "base/always_inline.h"
#include "communicators/persistent_requests.h"
#include "communicators/sent_messages.h"
#include "host/handles.h"
#include "host/predefined.h"
#include "wrappers/entry/call_words.h"
#include "wrappers/entry/enter.h"

namespace marshal {

// Numbers of the words that say where a call's message goes and how long it is.
struct SendPart {
  HandleOf where_in;  // comm or win
  int where, rank, type;
  int count;   // -1: one instance of the type
  int copies;  // an access to a window may move its data several times: there and back
  int op;      // of such an access, which moves its data once if the operation is MPI_NO_OP; else -1
  bool large;
  int ierror;
};

// True if the host's function succeeded: C returns the code; Fortran writes it to word `ierror` (WordsWithCode).
MARSHAL_ALWAYS_INLINE inline bool succeeded(Binding binding, Word result, const Word* words, std::size_t ierror) {
  if (binding == Binding::c) return static_cast<int>(result) == MPI_SUCCESS;
  return *from_word<const MPI_Fint*>(words[ierror]) == MPI_SUCCESS;
}

// Counts the message of a call that succeeded.
MARSHAL_ALWAYS_INLINE inline void note_send(const SendPart& part, Binding binding, Word result, const Word* words) {
  if (!succeeded(binding, result, words, static_cast<std::size_t>(part.ierror))) return;
  const WordReader read{binding, words};
  std::int64_t instances = part.count < 0 ? 1 : read.number(part.count, part.large);
  if (part.copies > 1 && (part.op < 0 || read.operation(part.op) != predefined().op_no_op)) instances *= part.copies;
  const auto rank = static_cast<std::int32_t>(read.number(part.rank, false));
  const auto type = handle_from<HandleOf::type>(binding, words[part.type]);
  if (part.where_in == HandleOf::comm)
    count_message(handle_from<HandleOf::comm>(binding, words[part.where]), rank, instances, type);
  else
    count_message(handle_from<HandleOf::win>(binding, words[part.where]), rank, instances, type);
}

// In one function for all entry points of rarer calls. So those stay small.
Word pass_send_apart(Slot& slot, CallPlace place, const SendPart& part, std::span<Word> words);

// Counts the call and passes it on, then counts its message.
template <class... Words>
MARSHAL_ALWAYS_INLINE inline Word pass_send(Slot& slot, CallPlace place, const SendPart& part, Words... words) {
  std::array<Word, sizeof...(Words)> all{words...};
  if (place.binding != Binding::c && all.back() == 0) [[unlikely]]  // without ierror
    return pass_send_apart(slot, place, part, std::span<Word>(all));
  const auto [next, thread] = program_call<Words...>(slot, place.caller);
  if (thread == nullptr) return next(words...);
  const Word result = count_and_pass_on(next, *thread, place, words...);
  if (is_watching_messages()) note_send(part, place.binding, result, all.data());
  return result;
}

// MPI_Start and MPI_Startall. Nothing more than passing on in a program without persistent requests that count.
Word start(Slot& slot, CallPlace place, std::span<const Word> words);

template <class... Words>
MARSHAL_ALWAYS_INLINE inline Word pass_start(Slot& slot, CallPlace place, Words... words) {
  const auto [next, thread] = program_call<Words...>(slot, place.caller);
  if (thread == nullptr) return next(words...);
  if (!any_persistent_requests()) return count_and_pass_on(next, *thread, place, words...);
  const WordsWithCode<sizeof...(Words)> given(place.binding, {words...});
  return start(slot, place, given.all);
}

}  // namespace marshal
