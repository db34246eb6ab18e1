// Entry points that one function serves for all calls of a kind, so that each stays small; and what calls do whose row
// names an action that runs only where messages go by calls (calls/by_calls.h). Such calls are counted like calls that
// are passed on.
#pragma once

#include <array>
#include <span>

#include "base/always_inline.h"
#include "calls/by_calls.h"
#include "copies/extended_requests.h"
#include "wrappers/entry/count_collectives.h"
#include "wrappers/entry/count_requests.h"
#include "wrappers/entry/count_sends.h"
#include "wrappers/entry/enter.h"
#include "wrappers/entry/kept_blocks.h"

namespace marshal {

// Numbers of the words with the datatypes of a call's buffers, each behind that of a count; -1: none. The second buffer
// is one that receives.
struct TypeWords {
  int first, second;
  bool first_receives, are_large;
};

// An entry point of a call that is rare, or long. Its row, parts and words of types are null where it has none.
struct EntryPoint {
  Slot& slot;
  Call call;
  Binding binding;
  int comm;  // number of the word with the communicator; -1: none
  const CallRow* row;
  const SendPart* sends;
  const CollectivePart* collects;
  const TypeWords* types;  // of a call that may go by calls

  CallPlace place(const void* caller) const { return {call, binding, caller, comm}; }
};
using EntryWay = Word(const EntryPoint& point, const void* caller, std::span<Word> words);

// The ways of such calls: passed on and counted, with what they send or with their part in a collective; or their row's
// action.
EntryWay enter_pass, enter_send, enter_collective, enter_broadcast, enter_exchange, enter_action;

template <class... Words>
MARSHAL_ALWAYS_INLINE inline Word enter_at(EntryWay* way, const EntryPoint& point, const void* caller, Words... words) {
  std::array<Word, sizeof...(Words)> all{words...};
  return way(point, caller, std::span<Word>(all));
}

// True if the call is the program's own, and one of its buffers may be packed; a call without such words always is.
bool is_for_action(CallPlace place, TypeWords types, const Word* words) noexcept;

// Where messages do not go by calls, this costs an entry point one load.
template <class... Words>
MARSHAL_ALWAYS_INLINE inline bool goes_by_calls(CallPlace place, TypeWords types, Words... words) {
  if (!calls::are_on()) [[likely]]
    return false;
  const std::array<Word, sizeof...(Words)> all{words...};
  return is_for_action(place, types, all.data());
}

// The same for calls that complete requests, or ask about them: once there were extended requests, or some with memory
// that is kept until they end.
template <class... Words>
MARSHAL_ALWAYS_INLINE inline bool may_end_extended(CallPlace, Words...) {
  return (ExtendedRequest::any() || any_kept_blocks) && is_here() && this_thread().depth == 0;
}

// Each runs the row's action, and counts what enter_pass(), pass_send() and pass_complete() count. Only if
// goes_by_calls() or may_end_extended().
Word act_for_send(const CallRow& row, Slot& slot, CallPlace place, const SendPart& part, std::span<Word> words);
Word act_for_completion(const CallRow& row, Slot& slot, CallPlace place, std::span<const Word> words);

template <class... Words>
Word pass_by_calls(Slot& slot, CallPlace place, const CallRow& row, Words... words) {
  return act(row, slot, place.binding, place.caller, words...);
}
template <class... Words>
Word send_by_calls(Slot& slot, CallPlace place, const CallRow& row, const SendPart& part, Words... words) {
  std::array<Word, sizeof...(Words)> all{words...};
  return act_for_send(row, slot, place, part, std::span<Word>(all));
}
template <class... Words>
Word complete_by_calls(Slot& slot, CallPlace place, const CallRow& row, Words... words) {
  const std::array<Word, sizeof...(Words)> all{words...};
  return act_for_completion(row, slot, place, std::span<const Word>(all));
}

}  // namespace marshal
