#include "wrappers/entry/entry_points.h"

#include <optional>

#include "calls/worth_packing.h"
#include "communicators/sent_messages.h"
#include "exchange/exchange.h"
#include "host/host_family.h"
#include "messages/mpich/packed_broadcasts.h"
#include "wrappers/entry/call_words.h"

namespace marshal {

bool is_for_action(CallPlace place, TypeWords types, const Word* words) noexcept {
  if (!is_here() || this_thread().depth != 0) return false;
  if (types.first < 0) return true;
  const WordReader read{place.binding, words};
  const auto look = [&](int at, bool receives) {
    return at < 0 ? calls::FirstLook()
                  : calls::FirstLook(read.type(at), read.number(at - 1, types.are_large), receives);
  };
  const calls::FirstLook first = look(types.first, types.first_receives), second = look(types.second, true);
  if (first.may_be_packed() || second.may_be_packed()) return true;
  first.count_as_left();
  second.count_as_left();
  return false;
}

namespace {
Word act_at_call(const CallRow& row, Slot& slot, CallPlace place, std::span<const Word> words) {
  return act(row, slot, place.binding, place.caller, words.data(), words.size());
}
bool acts_by_calls(const EntryPoint& point, const void* caller, std::span<const Word> words) {
  return point.types != nullptr && calls::are_on() && is_for_action(point.place(caller), *point.types, words.data());
}
}  // namespace

Word act_for_send(const CallRow& row, Slot& slot, CallPlace place, const SendPart& part, std::span<Word> words) {
  MPI_Fint code = MPI_SUCCESS;
  provide_code(place.binding, words, code);
  const Word result = act_at_call(row, slot, place, words);
  if (is_watching_messages()) note_send(part, place.binding, result, words.data());
  return result;
}

Word act_for_completion(const CallRow& row, Slot& slot, CallPlace place, std::span<const Word> words) {
  // Read once: the program may have its length where the call writes a number.
  const std::int64_t length = has_one_request(place.call) ? 1 : length_of_array(place.binding, words.data());
  const std::uint64_t before = requests_of(place, words.data(), length);
  const EndingBlocks ending(place.binding, words[has_one_request(place.call) ? 0 : 1], before == 0 ? 0 : length);
  const Word result = act_at_call(row, slot, place, words);
  const std::uint64_t after = before == 0 ? 0 : requests_of(place, words.data(), length);
  if (after < before) {
    count(Tally::requests_ended, before - after);
    if (!is_timed(place.call)) note_success(this_thread());
  }
  return result;
}

Word enter_action(const EntryPoint& point, const void* caller, std::span<Word> words) {
  return act_at_call(*point.row, point.slot, point.place(caller), words);
}

Word enter_pass(const EntryPoint& point, const void* caller, std::span<Word> words) {
  if (acts_by_calls(point, caller, words)) return enter_action(point, caller, words);
  if (const std::optional<Word> passed = pass_on_others(point.slot, caller, words)) return *passed;
  return count_and_pass_on_words(point.slot, point.place(caller), words);
}

Word enter_send(const EntryPoint& point, const void* caller, std::span<Word> words) {
  const CallPlace place = point.place(caller);
  return acts_by_calls(point, caller, words) ? act_for_send(*point.row, point.slot, place, *point.sends, words)
                                             : pass_send_apart(point.slot, place, *point.sends, words);
}

namespace {
Word enter_collective_call(const EntryPoint& point, const void* caller, std::span<Word> words, bool acts) {
  if (!acts)
    if (const std::optional<Word> passed = pass_on_others(point.slot, caller, words)) return *passed;
  const CallPlace place = point.place(caller);
  MPI_Fint code = MPI_SUCCESS;
  provide_code(point.binding, words, code);
  const Word result =
      acts ? act_at_call(*point.row, point.slot, place, words) : count_and_pass_on_words(point.slot, place, words);
  note_any_collective(*point.collects, place, result, words.data());
  return result;
}
}  // namespace

Word enter_collective(const EntryPoint& point, const void* caller, std::span<Word> words) {
  return enter_collective_call(point, caller, words, acts_by_calls(point, caller, words));
}

Word enter_exchange(const EntryPoint& point, const void* caller, std::span<Word> words) {
  ThreadState& thread = this_thread();
  const bool is_programs_own = thread.depth == 0;
  if (!is_here() || !(exchange::is_on() || (calls::are_on() && is_programs_own)))
    return enter_collective_call(point, caller, words, false);
  // MPICH makes a call from Fortran by that of C, which comes here then.
  if (exchange::is_on() && point.binding != Binding::c && !is_open_mpi()) {
    thread.comes_again = is_programs_own;
    const Word result = enter_collective_call(point, caller, words, false);
    thread.comes_again = false;
    return result;
  }
  return is_programs_own ? enter_collective_call(point, caller, words, true) : enter_action(point, caller, words);
}

// If the broadcast may be packed, the row's action may answer in the host's place.
Word enter_broadcast(const EntryPoint& point, const void* caller, std::span<Word> words) {
  if (!is_here() || !broadcasts::are_packed() ||
      !broadcasts::may_be_packed(WordReader{point.binding, words.data()}.type(point.collects->type)))
    return enter_collective(point, caller, words);
  MPI_Fint code = MPI_SUCCESS;
  provide_code(point.binding, words, code);
  const bool is_programs_own = this_thread().depth == 0;
  const Word result = enter_action(point, caller, words);
  if (is_programs_own && is_watching_messages())
    note_collective(*point.collects, point.place(caller), result, words.data());
  return result;
}

}  // namespace marshal
