// The layout of a datatype of the host.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>

#include "types/layouts.h"

namespace marshal {

struct TypeLayout {
  std::shared_ptr<const SharedLayout> layout;
  std::int64_t element;  // bytes of each predefined element; 0 where they differ
};

// Reads the host's type and finds its layout. If hosts are known to differ from the standard for such a type, host and
// engine pack it once and are compared. Throws LeftToHost (type_reader.h) where only the host can pack it.
TypeLayout layout_of(MPI_Datatype handle, Layouts& layouts);

}  // namespace marshal
