// Operations: the functions of the program that a reduction calls.
#pragma once

#include <mpi.h>

#include <algorithm>

#include "tests/mpi/turns/turns.h"

namespace by_turns {

inline void largest(void* in, void* inout, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i)
    static_cast<int*>(inout)[i] = std::max(static_cast<int*>(inout)[i], static_cast<int*>(in)[i]);
}
inline void sum(void* in, void* inout, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
}

struct Operation {
  MPI_Op handle;
  bool is_sum;
};
inline Kind<Operation> operations{{}, 4};

inline Operation make_operation() {
  Operation made{MPI_OP_NULL, draw(2) == 0};
  BY_TURNS(Op_create, made.is_sum ? sum : largest, 1, &made.handle);
  return made;
}
inline void end_operation(Operation& gone) { BY_TURNS(Op_free, &gone.handle); }
inline void use_operation() {
  const Operation operation = operations.any();
  int result = -1;
  MPI_Allreduce(&me, &result, 1, MPI_INT, operation.handle, MPI_COMM_WORLD);
  CHECK(result == (operation.is_sum ? ranks * (ranks - 1) / 2 : ranks - 1));
}

}  // namespace by_turns
