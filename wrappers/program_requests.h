// Requests as C or Fortran passed them. One that ends becomes null; a persistent one does not.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "base/always_inline.h"
#include "host/handles.h"
#include "host/predefined.h"
#include "wrappers/distinct_handles.h"
#include "wrappers/row.h"
#include "wrappers/thread_state.h"

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
