// Answers of the host without the C functions' out arguments: a communicator's own rank and size, and the program's
// rights with threads.
#pragma once

#include <mpi.h>

#include "host/pmpi.h"

namespace marshal {

// For communicators that are known to be good: a failure gives rank 0, size 0.
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

// After MPI_Init: true if several threads may be in MPI at once, or if the host does not say. Thread safe.
inline bool threads_enter_at_once() {
  int level = MPI_THREAD_MULTIPLE;
  pmpi().Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE;
}

}  // namespace marshal
