// Entry points of calls that complete requests: counted and passed on, then the requests are counted that ended.
#pragma once

#include <array>
#include <cstdint>

#include "base/always_inline.h"
#include "wrappers/enter.h"
#include "wrappers/program_requests.h"

namespace marshal {

// How many requests of a call that completes some are not null. It has one, its first word, or an array: the first word
// is the length, the second the array. (Which ones ended is not asked: mpi_f08 of MPICH 4.0 numbers them from 0 on.)
std::uint64_t requests_in_array(Binding binding, const Word* words) noexcept;
MARSHAL_ALWAYS_INLINE inline std::uint64_t requests_of(CallPlace place, const Word* words) {
  if (place.call != Call::Wait && place.call != Call::Test) return requests_in_array(place.binding, words);
  return words[0] != 0 && is_request(place.binding, words[0]) ? 1 : 0;
}

template <class... Words>
MARSHAL_ALWAYS_INLINE inline Word pass_complete(Slot& slot, CallPlace place, Words... words) {
  const auto [next, thread] = program_call<Words...>(slot, place.caller);
  if (thread == nullptr) return next(words...);
  const std::array<Word, sizeof...(Words)> all{words...};
  const std::uint64_t before = requests_of(place, all.data());
  const Word result = count_and_pass_on(next, *thread, place, words...);
  if (before == 0) return result;
  if (const std::uint64_t after = requests_of(place, all.data()); after < before)
    add_to_own(thread->counts->tallies[static_cast<std::size_t>(Tally::requests_ended)], before - after);
  return result;
}

}  // namespace marshal
