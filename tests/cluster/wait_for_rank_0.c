/* All ranks wait for rank 0, which sleeps a second. The last one says how it waited: asleep, if it gave its core away
   by itself more often than it was taken from it. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size, word = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  struct rusage before, after;
  getrusage(RUSAGE_THREAD, &before);
  if (rank == 0) sleep(1);
  MPI_Bcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD);
  getrusage(RUSAGE_THREAD, &after);
  if (rank == size - 1)
    puts(after.ru_nvcsw - before.ru_nvcsw > after.ru_nivcsw - before.ru_nivcsw ? "waited asleep" : "waited awake");
  MPI_Finalize();
  return 0;
}
