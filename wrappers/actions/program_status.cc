#include "wrappers/actions/program_status.h"

#include <cstring>

#include "host/pmpi.h"
#include "wrappers/entry/sentinels.h"

namespace marshal {

ProgramStatus::Use ProgramStatus::use_of(Binding binding, const void* of_program) {
  const Match ignored = matches(Sentinel::status_ignore, binding, of_program);
  if (of_program == nullptr && ignored != Match::yes) return Use::unknown;  // an error
  switch (ignored) {
    case Match::yes:
      return Use::ignored;
    case Match::no:
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
