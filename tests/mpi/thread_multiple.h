// Start of a test program whose threads call MPI at once.
#pragma once

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

// MPI_Init_thread with MPI_THREAD_MULTIPLE. Ends the program as skipped (77) on a host that gives less.
static inline void init_thread_multiple(int* argc, char*** argv) {
  int provided;
  MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided == MPI_THREAD_MULTIPLE) return;
  printf("the host has no MPI_THREAD_MULTIPLE\n");
  MPI_Finalize();
  exit(77);
}
