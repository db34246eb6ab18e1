#include "wrappers/program_status.h"

#include <cstring>

#include "host/next_symbol.h"
#include "host/pmpi.h"

namespace marshal {
namespace {

enum class Ignored : unsigned char { no, yes, unknown };

#if defined(MARSHAL_HOST_OPENMPI)
// One variable for all of Fortran.
Ignored is_ignored_in_fortran(Binding, const void* status) {
  static const void* const ignored = find_host_object("mpi_fortran_status_ignore_");
  if (ignored == nullptr) return Ignored::unknown;
  return status == ignored ? Ignored::yes : Ignored::no;
}
#elif defined(MARSHAL_HOST_ABI)
Ignored is_ignored_in_fortran(Binding, const void*) { return Ignored::unknown; }  // its Fortran libraries are not known
#else
// MPICH learns mpif.h's address in the first call from Fortran; mpi_f08 has a variable of its own.
Ignored is_ignored_in_fortran(Binding binding, const void* status) {
  static void* const* const in_mpif = static_cast<void* const*>(find_host_object("MPI_F_STATUS_IGNORE"));
  static const void* const in_f08 = find_host_object("MPIR_F08_MPI_STATUS_IGNORE_OBJ");
  const void* const of_mpif = in_mpif != nullptr ? *in_mpif : nullptr;
  if ((binding == Binding::mpif ? of_mpif : in_f08) == nullptr) return Ignored::unknown;
  return status == of_mpif || status == in_f08 ? Ignored::yes : Ignored::no;
}
#endif

}  // namespace

ProgramStatus::Use ProgramStatus::use_of(Binding binding, const void* of_program) {
  if (of_program == MPI_STATUS_IGNORE && binding == Binding::c) return Use::ignored;
  if (of_program == nullptr) return Use::unknown;  // an error
  if (binding == Binding::c) return Use::as_in_c;
  switch (is_ignored_in_fortran(binding, of_program)) {
    case Ignored::yes:
      return Use::ignored;
    case Ignored::no:
      return binding == Binding::mpif ? Use::in_mpif_h : Use::as_in_c;
    default:
      return Use::unknown;
  }
}

ProgramStatus::ProgramStatus(Binding binding, void* of_program)
    : own{}, program_(of_program), use_(use_of(binding, of_program)) {
  if (use_ == Use::as_in_c) std::memcpy(&own, program_, sizeof own);
  if (use_ == Use::in_mpif_h) pmpi().Status_f2c(static_cast<const MPI_Fint*>(program_), &own);
}

void ProgramStatus::write_back() {
  if (use_ == Use::as_in_c) std::memcpy(program_, &own, sizeof own);
  if (use_ == Use::in_mpif_h) pmpi().Status_c2f(&own, static_cast<MPI_Fint*>(program_));
}

}  // namespace marshal
