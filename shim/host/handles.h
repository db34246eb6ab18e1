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
#define MARSHAL_HANDLE(kind, type) \
  inline auto conversions(type*) { return std::pair(pmpi().kind##_fromint, pmpi().kind##_toint); }
#else
#define MARSHAL_HANDLE(kind, type) \
  inline auto conversions(type*) { return std::pair(pmpi().kind##_f2c, pmpi().kind##_c2f); }
#endif
#include "host/fortran_handles.table"

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
