#include "wrappers/entry/sentinels.h"

#include <mpi.h>

#include <cstddef>

#include "host/next_symbol.h"

namespace marshal {
namespace {

#if defined(MARSHAL_HOST_OPENMPI)
// One variable for all of Fortran.
Match matches_in_fortran(std::size_t sentinel, Binding, const void* address) {
  static const void* const variables[] = {
      find_host_object("mpi_fortran_bottom_"), find_host_object("mpi_fortran_in_place_"),
      find_host_object("mpi_fortran_status_ignore_"), find_host_object("mpi_fortran_statuses_ignore_")};
  if (variables[sentinel] == nullptr) return Match::unknown;
  return address == variables[sentinel] ? Match::yes : Match::no;
}
#elif defined(MARSHAL_HOST_ABI)
Match matches_in_fortran(std::size_t, Binding, const void*) { return Match::unknown; }  // its libraries are not known
#else
void* const* find_pointer(const char* symbol) { return static_cast<void* const*>(find_host_object(symbol)); }

// MPICH learns the addresses of mpif.h in the first call from Fortran; mpi_f08 has variables of its own.
Match matches_in_fortran(std::size_t sentinel, Binding binding, const void* address) {
  static void* const* const pointers[] = {find_pointer("MPIR_F_MPI_BOTTOM"), find_pointer("MPIR_F_MPI_IN_PLACE"),
                                          find_pointer("MPI_F_STATUS_IGNORE"), find_pointer("MPI_F_STATUSES_IGNORE")};
  static const void* const variables[] = {
      find_host_object("MPIR_F08_MPI_BOTTOM"), find_host_object("MPIR_F08_MPI_IN_PLACE"),
      find_host_object("MPIR_F08_MPI_STATUS_IGNORE_OBJ"), find_host_object("MPIR_F08_MPI_STATUSES_IGNORE_OBJ")};
  const void* const in_mpif = pointers[sentinel] != nullptr ? *pointers[sentinel] : nullptr;
  const void* const in_f08 = variables[sentinel];
  if ((binding == Binding::mpif ? in_mpif : in_f08) == nullptr) return Match::unknown;
  return address != nullptr && (address == in_mpif || address == in_f08) ? Match::yes : Match::no;
}
#endif

const void* in_c(Sentinel sentinel) {
  switch (sentinel) {
    case Sentinel::bottom:
      return MPI_BOTTOM;
    case Sentinel::in_place:
      return MPI_IN_PLACE;
    case Sentinel::status_ignore:
      return MPI_STATUS_IGNORE;
    default:
      return MPI_STATUSES_IGNORE;
  }
}

}  // namespace

Match matches(Sentinel sentinel, Binding binding, const void* address) {
  if (binding != Binding::c) return matches_in_fortran(static_cast<std::size_t>(sentinel), binding, address);
  return address == in_c(sentinel) ? Match::yes : Match::no;
}

}  // namespace marshal
