// Tells whether a buffer is MPI_BOTTOM.
#pragma once

#include "wrappers/thread_state.h"

namespace marshal {

enum class Bottom { no, yes, unknown };

// In Fortran it is the address of a variable of the host's, in C null.
Bottom bottom_of(Binding binding, const void* buffer);

}  // namespace marshal
