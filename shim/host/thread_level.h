// What the program may do with threads. After MPI_Init.
#pragma once

#include "host/pmpi.h"

namespace marshal {

// Whether several threads may be in MPI at once. True where the host does not say. Thread safe.
inline bool threads_enter_at_once() {
  int level = MPI_THREAD_MULTIPLE;
  pmpi().Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE;
}

}  // namespace marshal
