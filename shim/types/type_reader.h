// Reads a datatype of the host as a tree (datatype/type_tree.h).
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>

#include "datatype/first_program.h"
#include "types/known_type.h"

namespace marshal {

namespace datatype {
class Type;
}

// Thrown if only the host can pack the type.
struct LeftToHost {
  const char* why;
};

// Reads a committed type by MPI_Type_get_envelope and MPI_Type_get_contents, recursively; every handle got on the way
// is freed again. Bounds are the host's at every level, and the size and true extent of the whole are compared with the
// host's. Throws LeftToHost.
datatype::Type read_type(MPI_Datatype handle);

// Reads a committed type that can have a first program, and makes it. Null for all others. May be out of memory.
std::unique_ptr<const datatype::FirstProgram> read_first_program(MPI_Datatype handle);

// The ns to read and plan a type, as far as the numbers tell that its outermost constructor was given.
float guessed_ns_of_reading(MPI_Datatype handle);

// True if it is predefined.
bool is_named(MPI_Datatype handle);

// With the outermost constructor in lower case ("vector", "named"); "unknown" if the host does not tell.
TypeKind kind_of(MPI_Datatype handle);

// Reads the host's type and finds its layout. If hosts are known to differ from the standard for such a type, host and
// engine pack it once and are compared. Where only the host can pack it, the entry says why. May be out of memory.
std::unique_ptr<Datatype> describe(MPI_Datatype handle, Layouts& layouts);

}  // namespace marshal
