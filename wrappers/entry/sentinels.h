// MPI's special addresses, as a program passes them in its language. Thread safe.
#pragma once

#include "wrappers/entry/thread_state.h"

namespace marshal {

// In the order of the lists in sentinels.cc.
enum class Sentinel : unsigned char { bottom, in_place, status_ignore, statuses_ignore };

// `unknown`: the host's Fortran library is not there, or not known.
enum class Match : unsigned char { no, yes, unknown };

// In Fortran a sentinel is the address of a variable of the host's, in C a constant.
Match matches(Sentinel sentinel, Binding binding, const void* address);

}  // namespace marshal
