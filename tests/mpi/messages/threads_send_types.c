// Threads send and receive types that they share and types of their own, which they free while messages are under way,
// to threads of the other rank.
// cluster: nodes=1 ranks=2 env=MARSHAL_MESSAGES=on
// cluster: nodes=1 ranks=2 env=MARSHAL_MESSAGES=auto
// cluster: nodes=1 ranks=2 env=UCX_TLS=tcp,self
// cluster: nodes=1 ranks=2 env=MARSHAL_MESSAGES=calls env=MARSHAL_PACK=mars
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/mpi/thread_multiple.h"

enum { threads = 3, rounds = 40, columns = 6000 };
static MPI_Datatype shared;
static int me, other;
static atomic_int wrong;
static MPI_Comm comms[threads];

// Columns of one double in `apart` doubles, there and back.
static void exchange(MPI_Datatype type, int n, int apart, int thread, int round, int free_it) {
  double* from = malloc(sizeof(double) * (size_t)(n * apart));
  double* to = malloc(sizeof(double) * (size_t)(n * apart));
  for (int i = 0; i < n * apart; i++) from[i] = i + 0.5 * me + 1e6 * thread + 1e8 * round, to[i] = -1;
  MPI_Request requests[2];
  MPI_Irecv(to, 1, type, other, 0, comms[thread], &requests[0]);
  MPI_Isend(from, 1, type, other, 0, comms[thread], &requests[1]);
  if (free_it) MPI_Type_free(&type);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < n * apart - apart + 1; i++)
    if (to[i] != (i % apart == 0 ? i + 0.5 * other + 1e6 * thread + 1e8 * round : -1)) {
      ++wrong;
      break;
    }
  free(from);
  free(to);
}

static void* work(void* argument) {
  const int thread = *(int*)argument;
  for (int round = 0; round < rounds; round++) {
    exchange(shared, columns, 3, thread, round, 0);
    MPI_Datatype own;
    const int n = 10 << round % 8, apart = 2 + round % 5;
    MPI_Type_vector(n, 1, apart, MPI_DOUBLE, &own);
    MPI_Type_commit(&own);
    exchange(own, n, apart, thread, round, 1);
  }
  return NULL;
}

int main(int argc, char** argv) {
  init_thread_multiple(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  other = 1 - me;
  MPI_Type_vector(columns, 1, 3, MPI_DOUBLE, &shared);
  MPI_Type_commit(&shared);
  pthread_t all[threads];
  int numbers[threads];
  for (int i = 0; i < threads; i++) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  for (int i = 0; i < threads; i++) {
    numbers[i] = i;
    pthread_create(&all[i], NULL, work, &numbers[i]);
  }
  for (int i = 0; i < threads; i++) pthread_join(all[i], NULL);
  for (int i = 0; i < threads; i++) MPI_Comm_free(&comms[i]);
  MPI_Type_free(&shared);
  printf("%d wrong\n", wrong);
  fflush(stdout);
  MPI_Finalize();
  return wrong != 0;
}
