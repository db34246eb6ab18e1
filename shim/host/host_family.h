// Which MPI stands behind Marshal, found out at run time: the ABI decides, and the words that a library says about
// itself only where the ABI has no mark of its own. Needs neither mpi.h nor the C++ runtime.
#pragma once

#include <cstddef>

namespace marshal {

// The binary interface of an MPI library: its handles, constants and layouts.
enum class HostFamily : int { openmpi, mpich, abi, unknown };

// For messages: "Open MPI", "MPICH" (and all that have its ABI), "the standard MPI ABI", "an unknown MPI".
const char* family_name(HostFamily family);
// Marshal's library for a family, "libmarshal-openmpi.so"; null for an unknown one.
const char* family_library(HostFamily family);

// What the MPI library behind Marshal says about itself. Hosts do not ask how much room there is, and none has more to
// say than this: the largest MPI_MAX_LIBRARY_VERSION_STRING, that of MPICH and its kin.
struct HostVersion {
  static constexpr std::size_t most = 8192;
  char text[most + 1];  // empty where it says nothing
};
// Callable before MPI_Init.
void read_host_version(HostVersion& version);

// Of the library that is in the file `path` and says `version`; `has_openmpi_objects`: it, or what it is made of, has
// Open MPI's predefined handles as objects. Libraries with the standard's ABI may be made of a part of Open MPI's.
HostFamily family_of(const char* path, bool has_openmpi_objects, const char* version);

// The family of the library behind Marshal.
HostFamily find_host_family(const HostVersion& version);

}  // namespace marshal
