// The layout of a datatype of the host.
#pragma once

#include <mpi.h>

#include <memory>

#include "types/known_type.h"

namespace marshal {

// Reads the host's type and finds its layout. If hosts are known to differ from the standard for such a type, host and
// engine pack it once and are compared. Where only the host can pack it, the entry says why. May be out of memory.
std::unique_ptr<Datatype> describe(MPI_Datatype handle, Layouts& layouts);

}  // namespace marshal
