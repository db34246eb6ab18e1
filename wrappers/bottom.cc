#include "wrappers/bottom.h"

#include "host/next_symbol.h"

namespace marshal {
namespace {

#if defined(MARSHAL_HOST_OPENMPI)
Bottom is_fortran_bottom(Binding, const void* buffer) {
  static const void* const bottom = find_host_object("mpi_fortran_bottom_");
  if (bottom == nullptr) return Bottom::unknown;
  return buffer == bottom ? Bottom::yes : Bottom::no;
}
#elif defined(MARSHAL_HOST_ABI)
Bottom is_fortran_bottom(Binding, const void*) { return Bottom::unknown; }  // its Fortran libraries are not known
#else
// MPICH learns mpif.h's address in the first call from Fortran; mpi_f08 has a variable of its own.
Bottom is_fortran_bottom(Binding binding, const void* buffer) {
  static void* const* const mpif_bottom = static_cast<void* const*>(find_host_object("MPIR_F_MPI_BOTTOM"));
  static const void* const f08_bottom = find_host_object("MPIR_F08_MPI_BOTTOM");
  const void* const in_mpif = mpif_bottom != nullptr ? *mpif_bottom : nullptr;
  if ((binding == Binding::mpif ? in_mpif : f08_bottom) == nullptr) return Bottom::unknown;
  return buffer == in_mpif || buffer == f08_bottom ? Bottom::yes : Bottom::no;
}
#endif

}  // namespace

Bottom bottom_of(Binding binding, const void* buffer) {
  if (binding != Binding::c) return is_fortran_bottom(binding, buffer);
  return buffer == nullptr ? Bottom::yes : Bottom::no;
}

}  // namespace marshal
