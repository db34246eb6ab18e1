// Conversion of handles to Fortran numbers and to keys of a table. Only after meet_host().
#pragma once

#include <mpi.h>

#include <cstdint>
#include <type_traits>
#include <utility>

#include "host/pmpi.h"

namespace marshal {

template <class Handle>
std::uint64_t key_of(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>)
    return reinterpret_cast<std::uintptr_t>(handle);
  else
    return static_cast<std::uint32_t>(handle);
}

template <class Handle>
Handle handle_of(std::uint64_t key) {
  if constexpr (std::is_pointer_v<Handle>)
    return reinterpret_cast<Handle>(key);
  else
    return static_cast<Handle>(key);
}

// The host's functions from the Fortran number to a kind of handle, and back.
#ifdef MARSHAL_HOST_ABI
inline auto conversions(MPI_Comm*) { return std::pair(pmpi().Comm_fromint, pmpi().Comm_toint); }
inline auto conversions(MPI_Group*) { return std::pair(pmpi().Group_fromint, pmpi().Group_toint); }
inline auto conversions(MPI_Datatype*) { return std::pair(pmpi().Type_fromint, pmpi().Type_toint); }
inline auto conversions(MPI_Win*) { return std::pair(pmpi().Win_fromint, pmpi().Win_toint); }
inline auto conversions(MPI_Request*) { return std::pair(pmpi().Request_fromint, pmpi().Request_toint); }
inline auto conversions(MPI_Info*) { return std::pair(pmpi().Info_fromint, pmpi().Info_toint); }
inline auto conversions(MPI_Op*) { return std::pair(pmpi().Op_fromint, pmpi().Op_toint); }
inline auto conversions(MPI_Session*) { return std::pair(pmpi().Session_fromint, pmpi().Session_toint); }
inline auto conversions(MPI_File*) { return std::pair(pmpi().File_fromint, pmpi().File_toint); }
#else
inline auto conversions(MPI_File*) { return std::pair(pmpi().File_f2c, pmpi().File_c2f); }
#endif
#ifdef MARSHAL_HOST_OPENMPI
inline auto conversions(MPI_Comm*) { return std::pair(pmpi().Comm_f2c, pmpi().Comm_c2f); }
inline auto conversions(MPI_Group*) { return std::pair(pmpi().Group_f2c, pmpi().Group_c2f); }
inline auto conversions(MPI_Datatype*) { return std::pair(pmpi().Type_f2c, pmpi().Type_c2f); }
inline auto conversions(MPI_Win*) { return std::pair(pmpi().Win_f2c, pmpi().Win_c2f); }
inline auto conversions(MPI_Request*) { return std::pair(pmpi().Request_f2c, pmpi().Request_c2f); }
inline auto conversions(MPI_Info*) { return std::pair(pmpi().Info_f2c, pmpi().Info_c2f); }
inline auto conversions(MPI_Op*) { return std::pair(pmpi().Op_f2c, pmpi().Op_c2f); }
inline auto conversions(MPI_Session*) { return std::pair(pmpi().Session_f2c, pmpi().Session_c2f); }
#endif

template <class Handle>
void from_fortran(MPI_Fint number, Handle& handle) {
  handle = conversions(&handle).first(number);
}
template <class Handle>
MPI_Fint to_fortran(Handle handle) {
  return conversions(&handle).second(handle);
}
#ifdef MARSHAL_HOST_MPICH
// MPICH's handles, except files, are the same numbers in both languages.
inline void from_fortran(MPI_Fint number, int& handle) { handle = number; }
inline MPI_Fint to_fortran(int handle) { return handle; }
#endif

}  // namespace marshal
