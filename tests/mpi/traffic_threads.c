// Threads that send at the same time count exactly (MPI_THREAD_MULTIPLE): each makes, uses and frees communicators and types
// of its own, while others send on the world's; threads end and others begin.
// cluster: nodes=2 ranks=4
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

#include "wrappers/actions/marshal.h"

enum { threads = 4, generations = 3, rounds = 40 };
static MPI_Comm of_thread[threads];
static int rank, size;

static void *work(void *argument) {
  const int thread = *(int *)argument;
  char out[4096] = {0}, in[4096];
  for (int round = 0; round < rounds; ++round) {
    MPI_Comm turned;
    MPI_Datatype type;
    MPI_Comm_split(of_thread[thread], 0, (rank + round) % size, &turned);
    MPI_Type_contiguous(round + 1, MPI_INT, &type);
    MPI_Type_commit(&type);
    const int own = (rank + round) % size;
    MPI_Sendrecv(out, 2, type, (own + 1) % size, 1, in, 2, type, (own + size - 1) % size, 1, turned, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    MPI_Comm_free(&turned);
    const int to = (rank + 2) % size, from = (rank + size - 2) % size;
    MPI_Sendrecv(out, 3, MPI_INT, to, thread, in, 3, MPI_INT, from, thread, of_thread[thread], MPI_STATUS_IGNORE);
  }
  return NULL;
}

static int differs(int process, unsigned long long messages, unsigned long long bytes) {
  unsigned long long m = 0, b = 0;
  if (marshal_sent == NULL || marshal_sent(process, &m, &b) != MARSHAL_SUCCESS) return 1;
  if (m == messages && b == bytes) return 0;
  printf("rank %d to %d: %llu messages, %llu bytes, should be %llu, %llu\n", rank, process, m, b, messages, bytes);
  return 1;
}

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int together = provided == MPI_THREAD_MULTIPLE;
  if (!together && rank == 0) printf("the host gives no MPI_THREAD_MULTIPLE: one thread after the other\n");
  for (int t = 0; t < threads; ++t) MPI_Comm_dup(MPI_COMM_WORLD, &of_thread[t]);
  for (int generation = 0; generation < generations; ++generation) {
    pthread_t running[threads];
    int number[threads];
    for (int t = 0; t < threads; ++t) {
      number[t] = t;
      pthread_create(&running[t], NULL, work, &number[t]);
      if (!together) pthread_join(running[t], NULL);
    }
    for (int t = 0; t < threads && together; ++t) pthread_join(running[t], NULL);
  }
  for (int t = 0; t < threads; ++t) MPI_Comm_free(&of_thread[t]);
  const unsigned long long all = threads * generations, of_ints = 8ULL * rounds * (rounds + 1) / 2;
  const int wrong = differs((rank + 1) % size, all * rounds, all * of_ints) + differs((rank + 2) % size, all * rounds, all * rounds * 12) +
                    differs(rank, 0, 0);
  MPI_Finalize();
  return wrong != 0;
}
