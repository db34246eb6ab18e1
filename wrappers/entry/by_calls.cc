#include "wrappers/entry/by_calls.h"

#include "calls/worth_packing.h"
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
Word act_at_call(const Row& row, Slot& slot, CallPlace place, std::span<const Word> words) {
  return act(row, slot, place.binding, place.caller, words.data(), words.size());
}
}  // namespace

Word act_for_send(const Row& row, Slot& slot, CallPlace place, const SendPart& part, std::span<Word> words) {
  MPI_Fint code = MPI_SUCCESS;
  provide_code(place.binding, words, code);
  const Word result = act_at_call(row, slot, place, words);
  if (is_watching_messages()) note_send(part, place.binding, result, words.data());
  return result;
}

Word act_for_collective(const Row& row, Slot& slot, CallPlace place, const CollectivePart& part,
                        std::span<Word> words) {
  MPI_Fint code = MPI_SUCCESS;
  provide_code(place.binding, words, code);
  const Word result = act_at_call(row, slot, place, words);
  note_any_collective(part, place, result, words.data());
  return result;
}

Word act_for_completion(const Row& row, Slot& slot, CallPlace place, std::span<const Word> words) {
  // Read once: the program may have its length where the call writes a number.
  const std::int64_t length = has_one_request(place.call) ? 1 : length_of_array(place.binding, words.data());
  const std::uint64_t before = requests_of(place, words.data(), length);
  const EndingBlocks ending(place.binding, words[has_one_request(place.call) ? 0 : 1], before == 0 ? 0 : length);
  const Word result = act_at_call(row, slot, place, words);
  const std::uint64_t after = before == 0 ? 0 : requests_of(place, words.data(), length);
  if (after < before) count(Tally::requests_ended, before - after);
  return result;
}

}  // namespace marshal
