// Windows: each process puts its number into the next one's memory.
#pragma once

#include <mpi.h>

#include "tests/mpi/turns/turns.h"

namespace by_turns {

inline MPI_Win make_window() {
  MPI_Win made = MPI_WIN_NULL;
  int* memory = nullptr;
  const MPI_Comm on = communicators.alive.empty() ? MPI_COMM_WORLD : communicators.any();
  BY_TURNS(Win_allocate, 4096, sizeof(int), MPI_INFO_NULL, on, &memory, &made);
  return made;
}

inline void end_window(MPI_Win& gone) { BY_TURNS(Win_free, &gone); }

inline void use_window() {
  const MPI_Win window = windows.any();
  MPI_Group group = MPI_GROUP_NULL, expected = MPI_GROUP_NULL;
  MPI_Win_get_group(window, &group);
  PMPI_Win_get_group(window, &expected);
  check_same(group, expected);
  check_translation(group, world);
  check_translation(world, group);
  int rank = 0, size = 0, value = -1;
  PMPI_Group_rank(group, &rank);
  PMPI_Group_size(group, &size);
  MPI_Win_fence(0, window);
  const Sent before = sent();
  MPI_Put(&me, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
  check_sent(before, 1, sizeof(int));
  MPI_Win_fence(0, window);
  PMPI_Get(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
  PMPI_Win_fence(0, window);
  CHECK(value == me);
  BY_TURNS(Group_free, &expected);
  BY_TURNS(Group_free, &group);
}

}  // namespace by_turns
