// The status of a call, where the program has it.
#pragma once

#include <mpi.h>

#include "wrappers/entry/thread_state.h"

namespace marshal {

// `of_program`: the argument of the call, in its binding. Not thread safe, like the program's status.
class ProgramStatus {
 public:
  ProgramStatus(Binding binding, void* of_program);

  // False where Marshal cannot tell whether the program ignores it.
  bool is_known() const { return use_ != Use::unknown; }

  // For the host's C functions, in place of the program's. At first it has what the program's has, as hosts leave some
  // fields as they are.
  MPI_Status own;

  // Gives the program what the host wrote.
  void write_back();

 private:
  enum class Use : unsigned char { ignored, as_in_c, in_mpif_h, unknown };
  static Use use_of(Binding binding, const void* of_program);

  void* const program_;
  const Use use_;
};

}  // namespace marshal
