// The entry points of MPI_Pcontrol: what the program says of its times, and then the host's, which mostly do nothing.
#pragma once

#include "wrappers/entry/enter.h"

namespace marshal {

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
