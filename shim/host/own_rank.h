// A communicator's own rank and size, without the C functions' out arguments. For communicators that are known to be
// good: a failure gives rank 0, size 0.
#pragma once

#include <mpi.h>

#include "host/pmpi.h"

namespace marshal {

inline int own_rank(MPI_Comm communicator) {
  int rank = 0;
  pmpi().Comm_rank(communicator, &rank);
  return rank;
}

inline int size_of(MPI_Comm communicator) {
  int size = 0;
  pmpi().Comm_size(communicator, &size);
  return size;
}

}  // namespace marshal
