// MPI's special addresses, as a program passes them in its language. Thread safe.
#pragma once

#include <mpi.h>

#include <limits>
#include <optional>

#include "copies/gapped_buffer.h"
#include "wrappers/entry/thread_state.h"

namespace marshal {

// In the order of the lists in sentinels.cc.
enum class Sentinel : unsigned char { bottom, in_place, status_ignore, statuses_ignore };

// `unknown`: the host's Fortran library is not there, or not known.
enum class Match : unsigned char { no, yes, unknown };

// In Fortran a sentinel is the address of a variable of the host's, in C a constant.
Match matches(Sentinel sentinel, Binding binding, const void* address);

// The buffer of a call from C or Fortran, as the host's C functions take it.

// Null where only the host can read it, or where its count is no int or negative.
inline std::optional<ProgramBuffer> buffer_in_c(Binding binding, void* user, MPI_Count count, MPI_Datatype type) {
  if (count < 0 || count > std::numeric_limits<int>::max()) return std::nullopt;
  const Match bottom = matches(Sentinel::bottom, binding, user);
  if (bottom == Match::unknown || (binding != Binding::c && user == nullptr)) return std::nullopt;
  const bool is_bottom = bottom == Match::yes;
  return ProgramBuffer{is_bottom ? nullptr : user, is_bottom, count, type};
}

}  // namespace marshal
