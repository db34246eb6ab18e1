// Threads look ranks up in communicators that live, while others make and free communicators (MPI_THREAD_MULTIPLE).
// cluster: nodes=2 ranks=2 env=MARSHAL_SELF_CHECK=on
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#include "tests/mpi/thread_multiple.h"
#include "wrappers/actions/marshal.h"

enum { makers = 2, readers = 2, rounds = 200, living = 20 };
static MPI_Comm lasting[living], of_maker[makers];
static int me, size;
static atomic_int stop, wrong;
static atomic_long lookups;

static void* look(void* unused) {
  for (; !stop; sched_yield())
    for (int i = 0; i < living; i++) {
      int group, lpid, rank;
      const int first = i % 2 ? size - 1 : 0;
      if (marshal_comm_process(lasting[i], 0, &group, &lpid) != MARSHAL_SUCCESS || group != 0 || lpid != first) ++wrong;
      if (marshal_comm_rank(lasting[i], 0, first, &rank) != MARSHAL_SUCCESS || rank != 0) ++wrong;
      ++lookups;
    }
  return unused;
}

static void* make(void* argument) {
  MPI_Comm parent = *(MPI_Comm*)argument;
  for (int round = 0; round < rounds; round++) {
    MPI_Comm a, b;
    int group, lpid;
    MPI_Comm_split(parent, 0, round % 2 ? me : -me, &a);
    MPI_Comm_dup(a, &b);
    MPI_Comm_free(&a);
    if (marshal_comm_process(b, 0, &group, &lpid) != MARSHAL_SUCCESS || lpid != (round % 2 ? 0 : size - 1)) ++wrong;
    MPI_Comm_free(&b);
  }
  return argument;
}

int main(int argc, char** argv) {
  init_thread_multiple(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < living; i++) MPI_Comm_split(MPI_COMM_WORLD, 0, i % 2 ? -me : me, &lasting[i]);
  for (int i = 0; i < makers; i++) MPI_Comm_dup(MPI_COMM_WORLD, &of_maker[i]);
  pthread_t threads[makers + readers];
  for (int i = 0; i < makers; i++) pthread_create(&threads[i], NULL, make, &of_maker[i]);
  for (int i = 0; i < readers; i++) pthread_create(&threads[makers + i], NULL, look, NULL);
  for (int i = 0; i < makers; i++) pthread_join(threads[i], NULL);
  stop = 1;
  for (int i = 0; i < readers; i++) pthread_join(threads[makers + i], NULL);
  if (wrong) fprintf(stderr, "rank %d: %d of %ld lookups wrong\n", me, wrong, lookups);
  MPI_Finalize();
  return wrong != 0;
}
