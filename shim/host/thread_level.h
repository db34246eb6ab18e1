// The program's rights with threads, after MPI_Init.
#pragma once

#include "host/pmpi.h"

namespace marshal {

// True if several threads may be in MPI at once, or if the host does not say. Thread safe.
inline bool threads_enter_at_once() {
  int level = MPI_THREAD_MULTIPLE;
  pmpi().Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE;
}

}  // namespace marshal
