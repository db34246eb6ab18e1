// Requests as C or Fortran passed them. One that ends becomes null; a persistent one does not.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/always_inline.h"
#include "base/fixed_table.h"
#include "host/handles.h"
#include "host/predefined.h"
#include "wrappers/entry/row.h"
#include "wrappers/entry/thread_state.h"

namespace marshal {

MARSHAL_ALWAYS_INLINE inline MPI_Request null_request() { return predefined().request_null; }
MARSHAL_ALWAYS_INLINE inline MPI_Fint null_request_of_fortran() {
  static const MPI_Fint null = to_fortran(predefined().request_null);
  return null;
}

// The handle at `address`.
MARSHAL_ALWAYS_INLINE inline Word request_at(Binding binding, Word address) {
  return binding == Binding::c ? to_word(*from_word<const MPI_Request*>(address))
                               : to_word(*from_word<const MPI_Fint*>(address));
}
// True if the request at `address` is not null. Where the program gives no address, some hosts return no error.
MARSHAL_ALWAYS_INLINE inline bool is_request(Binding binding, Word address) {
  if (address == 0) [[unlikely]]
    return false;
  return binding == Binding::c ? *from_word<const MPI_Request*>(address) != null_request()
                               : *from_word<const MPI_Fint*>(address) != null_request_of_fortran();
}

// How many different handles were seen, in 8 KiB.
//
// The host gives the handle of a request that ended to a later one. So of requests that nobody saw end there are not
// many, if they had few handles: they ended unseen, by PMPI_ functions or inside callbacks. Any thread may add.
class DistinctHandles {
 public:
  MARSHAL_ALWAYS_INLINE void add(std::uint64_t handle) noexcept {
    const std::size_t number = spread_at_random(handle, number_bits);
    std::atomic<std::uint64_t>& word = words_[number / 64];
    const std::uint64_t bit = std::uint64_t{1} << number % 64;
    if ((word.load(std::memory_order_relaxed) & bit) == 0) word.fetch_or(bit, std::memory_order_relaxed);
  }
  // Some per cent more or less, by the part of the bits that is still clear. Infinite if none is.
  // Source: Whang, Vander-Zanden, Taylor, "A Linear-Time Probabilistic Counting Algorithm for Database Applications".
  double count() const noexcept {
    int clear = 0;
    for (const std::atomic<std::uint64_t>& word : words_) clear += std::popcount(~word.load(std::memory_order_relaxed));
    constexpr double all = std::size_t{1} << number_bits;
    return clear == 0 ? HUGE_VAL : -all * std::log(clear / all);
  }

 private:
  static constexpr int number_bits = 16;
  std::array<std::atomic<std::uint64_t>, (std::size_t{1} << number_bits) / 64> words_{};
};

// The handles that the program's nonblocking calls gave it.
inline constinit DistinctHandles handles_of_requests;

// True if the call succeeded, or if it is not known: in mpi_f08, ierror may be absent. It is the last word.
MARSHAL_ALWAYS_INLINE inline bool may_have_succeeded(Binding binding, Word result, const Word* words,
                                                     std::size_t count) {
  if (binding == Binding::c) return static_cast<int>(result) == MPI_SUCCESS;
  return words[count - 1] == 0 || *from_word<const MPI_Fint*>(words[count - 1]) == MPI_SUCCESS;
}

// A nonblocking call, which was counted, has returned. Its request is its last argument.
MARSHAL_ALWAYS_INLINE inline void note_made_request(CallCounts& counts, Binding binding, Word result, const Word* words,
                                                    std::size_t count) {
  const Word request = words[binding == Binding::c ? count - 1 : count - 2];
  if (!may_have_succeeded(binding, result, words, count) || !is_request(binding, request)) [[unlikely]]
    add_to_own(counts.tallies[static_cast<std::size_t>(Tally::requests_not_made)], 1);
  else
    handles_of_requests.add(request_at(binding, request));
}

}  // namespace marshal
