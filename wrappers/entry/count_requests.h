// Entry points of calls that complete requests: counted and passed on, then the requests are counted that ended.
#pragma once

#include <array>
#include <cstdint>

#include "base/always_inline.h"
#include "wrappers/entry/enter.h"
#include "wrappers/entry/program_requests.h"

namespace marshal {

// A call that completes requests has one, its first word, or an array: the first word is the length, the second the
// array. (Which ones ended is not asked: mpi_f08 of MPICH 4.0 numbers them from 0 on.)
MARSHAL_ALWAYS_INLINE inline bool has_one_request(Call call) { return call == Call::Wait || call == Call::Test; }
std::int64_t length_of_array(Binding binding, const Word* words) noexcept;
// How many of them are not null.
std::uint64_t requests_in_array(Binding binding, Word array, std::int64_t length) noexcept;
MARSHAL_ALWAYS_INLINE inline std::uint64_t requests_of(CallPlace place, const Word* words, std::int64_t length) {
  if (!has_one_request(place.call)) return requests_in_array(place.binding, words[1], length);
  return is_request(place.binding, words[0]) ? 1 : 0;
}

template <class... Words>
MARSHAL_ALWAYS_INLINE inline Word pass_complete(Slot& slot, CallPlace place, Words... words) {
  const auto [next, thread] = program_call<Words...>(slot, place.caller);
  if (thread == nullptr) return next(words...);
  const std::array<Word, sizeof...(Words)> all{words...};
  // Read once: the program may have its length where the call writes a number.
  const std::int64_t length = has_one_request(place.call) ? 1 : length_of_array(place.binding, all.data());
  const std::uint64_t before = requests_of(place, all.data(), length);
  const Word result = count_and_pass_on(next, *thread, place, words...);
  if (before == 0) return result;
  const std::uint64_t after = requests_of(place, all.data(), length);
  if (after < before) {
    count(Tally::requests_ended, before - after);
    if (!is_timed(place.call)) note_success(*thread);
  }
  return result;
}

}  // namespace marshal
