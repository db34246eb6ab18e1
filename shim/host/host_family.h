// Finds out at run time which MPI stands behind Marshal. Its ABI decides; its version text counts only if the ABI has
// no mark of its own. Needs neither mpi.h nor the C++ runtime.
#pragma once

#include <cstddef>

namespace marshal {

// The binary interface of an MPI library: its handles, constants and layouts.
enum class HostFamily : int { openmpi, mpich, abi, unknown };

// For messages: "Open MPI", "MPICH" (and all that have its ABI), "the standard MPI ABI", "an unknown MPI".
const char* family_name(HostFamily family);
// Marshal's library for a family, "libmarshal-openmpi.so"; null for an unknown one.
const char* family_library(HostFamily family);

// The version text of the MPI library behind Marshal. Hosts do not ask how much room there is. This is enough for all:
// the largest MPI_MAX_LIBRARY_VERSION_STRING, that of MPICH and its kin.
struct HostVersion {
  static constexpr std::size_t most = 8192;
  char text[most + 1];  // empty if there is none
};
// Callable before MPI_Init.
void read_host_version(HostVersion& version);

// The family of the library in the file `path` with that version text. `has_openmpi_objects`: it, or a library that it
// uses, has Open MPI's predefined handles as objects. A library with the standard's ABI may use a part of Open MPI's.
HostFamily family_of(const char* path, bool has_openmpi_objects, const char* version);

// The family of the library behind Marshal.
HostFamily find_host_family(const HostVersion& version);

// The implementation behind Marshal, whatever its ABI, for the things that one of them does differently.
namespace detail {
inline bool is_open_mpi = false;
}

// If not, it is MPICH or one of its kin. Constant from meet_host() on.
inline bool is_open_mpi() { return detail::is_open_mpi; }

}  // namespace marshal
