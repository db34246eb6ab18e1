// The layout of a datatype of the host.
#pragma once

#include <mpi.h>

#include <memory>

#include "host/layouts.h"

namespace marshal {

// The host's type as `layouts` has it: read, and where hosts are known to differ from the standard, packed by both
// once. Throws LeftToHost (type_reader.h) where only the host can pack it.
std::shared_ptr<const SharedLayout> layout_of(MPI_Datatype handle, Layouts& layouts);

}  // namespace marshal
