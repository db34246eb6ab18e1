#include "wrappers/bottom.h"

#include "host/next_symbol.h"

namespace marshal {
namespace {

Bottom is_fortran_bottom(const void* buffer) {
#ifdef MARSHAL_HOST_OPENMPI
  static const void* const bottom = find_host_object("mpi_fortran_bottom_");
  if (bottom == nullptr) return Bottom::unknown;
  return buffer == bottom ? Bottom::yes : Bottom::no;
#elif defined(MARSHAL_HOST_ABI)
  static_cast<void>(buffer);  // its Fortran libraries are not known
  return Bottom::unknown;
#else
  static void* const* const mpif_bottom = static_cast<void* const*>(find_host_object("MPIR_F_MPI_BOTTOM"));
  static const void* const f08_bottom = find_host_object("MPIR_F08_MPI_BOTTOM");
  if (mpif_bottom == nullptr && f08_bottom == nullptr) return Bottom::unknown;
  return (mpif_bottom != nullptr && buffer == *mpif_bottom) || buffer == f08_bottom ? Bottom::yes : Bottom::no;
#endif
}

}  // namespace

Bottom bottom_of(Binding binding, const void* buffer) {
  if (binding != Binding::c) return is_fortran_bottom(buffer);
  return buffer == nullptr ? Bottom::yes : Bottom::no;
}

}  // namespace marshal
