// Handles as Fortran numbers, and as keys of a table. Only valid after meet_host().
#pragma once

#include <mpi.h>

#include <cstdint>
#include <type_traits>

#include "host/pmpi.h"

namespace marshal {

template <class Handle>
std::uint64_t key_of(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>)
    return reinterpret_cast<std::uintptr_t>(handle);
  else
    return static_cast<std::uint32_t>(handle);
}

#ifdef MARSHAL_HOST_OPENMPI
inline void from_fortran(MPI_Fint number, MPI_Comm& handle) { handle = pmpi().Comm_f2c(number); }
inline void from_fortran(MPI_Fint number, MPI_Group& handle) { handle = pmpi().Group_f2c(number); }
inline void from_fortran(MPI_Fint number, MPI_Datatype& handle) { handle = pmpi().Type_f2c(number); }
inline void from_fortran(MPI_Fint number, MPI_Win& handle) { handle = pmpi().Win_f2c(number); }
inline void from_fortran(MPI_Fint number, MPI_Request& handle) { handle = pmpi().Request_f2c(number); }
inline void from_fortran(MPI_Fint number, MPI_Info& handle) { handle = pmpi().Info_f2c(number); }
inline void from_fortran(MPI_Fint number, MPI_Session& handle) { handle = pmpi().Session_f2c(number); }
inline MPI_Fint to_fortran(MPI_Comm handle) { return pmpi().Comm_c2f(handle); }
inline MPI_Fint to_fortran(MPI_Group handle) { return pmpi().Group_c2f(handle); }
inline MPI_Fint to_fortran(MPI_Datatype handle) { return pmpi().Type_c2f(handle); }
inline MPI_Fint to_fortran(MPI_Win handle) { return pmpi().Win_c2f(handle); }
inline MPI_Fint to_fortran(MPI_Request handle) { return pmpi().Request_c2f(handle); }
inline MPI_Fint to_fortran(MPI_Info handle) { return pmpi().Info_c2f(handle); }
inline MPI_Fint to_fortran(MPI_Session handle) { return pmpi().Session_c2f(handle); }
#elif defined(MARSHAL_HOST_ABI)
inline void from_fortran(MPI_Fint number, MPI_Comm& handle) { handle = pmpi().Comm_fromint(number); }
inline void from_fortran(MPI_Fint number, MPI_Group& handle) { handle = pmpi().Group_fromint(number); }
inline void from_fortran(MPI_Fint number, MPI_Datatype& handle) { handle = pmpi().Type_fromint(number); }
inline void from_fortran(MPI_Fint number, MPI_Win& handle) { handle = pmpi().Win_fromint(number); }
inline void from_fortran(MPI_Fint number, MPI_Request& handle) { handle = pmpi().Request_fromint(number); }
inline void from_fortran(MPI_Fint number, MPI_Info& handle) { handle = pmpi().Info_fromint(number); }
inline void from_fortran(MPI_Fint number, MPI_Session& handle) { handle = pmpi().Session_fromint(number); }
inline void from_fortran(MPI_Fint number, MPI_File& handle) { handle = pmpi().File_fromint(number); }
inline MPI_Fint to_fortran(MPI_Comm handle) { return pmpi().Comm_toint(handle); }
inline MPI_Fint to_fortran(MPI_Group handle) { return pmpi().Group_toint(handle); }
inline MPI_Fint to_fortran(MPI_Datatype handle) { return pmpi().Type_toint(handle); }
inline MPI_Fint to_fortran(MPI_Win handle) { return pmpi().Win_toint(handle); }
inline MPI_Fint to_fortran(MPI_Request handle) { return pmpi().Request_toint(handle); }
inline MPI_Fint to_fortran(MPI_Info handle) { return pmpi().Info_toint(handle); }
inline MPI_Fint to_fortran(MPI_Session handle) { return pmpi().Session_toint(handle); }
inline MPI_Fint to_fortran(MPI_File handle) { return pmpi().File_toint(handle); }
#else
// MPICH's handles are the same numbers in both languages.
inline void from_fortran(MPI_Fint number, int& handle) { handle = number; }
inline MPI_Fint to_fortran(int handle) { return handle; }
#endif
#ifndef MARSHAL_HOST_ABI
inline void from_fortran(MPI_Fint number, MPI_File& handle) { handle = pmpi().File_f2c(number); }
inline MPI_Fint to_fortran(MPI_File handle) { return pmpi().File_c2f(handle); }
#endif

}  // namespace marshal
