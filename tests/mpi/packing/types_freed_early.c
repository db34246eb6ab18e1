// Threads pack types, send with them, and free them before the messages are complete. All bytes arrive, and the program
// lives: on MPICH nothing of Marshal's may run where the last message of a type ends, inside the host's progress.
// cluster: nodes=1 ranks=2
// cluster: nodes=1 ranks=2 env=MARSHAL_PACK=mars env=MARSHAL_MESSAGES=off
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/mpi/thread_multiple.h"

enum {
  threads = 4,
  rounds = 600,
  packs = 20,
  blocks = 300,
  length = 2,
  stride = 4,
  reach = blocks * stride,
  room = 80000
};
static atomic_int wrong;

struct work {
  MPI_Comm comm;
  int other, from[10 * reach], to[10 * reach];
  char packed[room];
};

static int is_right(const struct work* w) {
  for (int i = 0; i < blocks; i++)
    for (int k = 0; k < length; k++)
      if (w->to[stride * i + k] != w->from[stride * i + k] + (w->other ? 1 : -1)) return 0;
  return 1;
}

static void* work(void* argument) {
  struct work* w = argument;
  for (int round = 0; round < rounds; round++) {
    MPI_Datatype type;
    MPI_Type_vector(blocks, length, stride, MPI_INT, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < reach; i++) {
      w->from[i] = 2 * (round + i) - w->other;
      w->to[i] = 0;
    }
    for (int i = 0; i < packs; i++) {
      int position = 0;
      MPI_Pack(w->from, 10, type, w->packed, room, &position, w->comm);
    }
    MPI_Request requests[2];
    MPI_Irecv(w->to, 1, type, w->other, 0, w->comm, &requests[0]);
    MPI_Isend(w->from, 1, type, w->other, 0, w->comm, &requests[1]);
    MPI_Type_free(&type);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (!is_right(w)) ++wrong;
  }
  return NULL;
}

int main(int argc, char** argv) {
  init_thread_multiple(&argc, &argv);
  int me;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  struct work* all = calloc(threads, sizeof *all);
  pthread_t ids[threads];
  for (int i = 0; i < threads; i++) {
    all[i].other = 1 - me;
    MPI_Comm_dup(MPI_COMM_WORLD, &all[i].comm);
  }
  for (int i = 0; i < threads; i++) pthread_create(&ids[i], NULL, work, &all[i]);
  for (int i = 0; i < threads; i++) pthread_join(ids[i], NULL);
  for (int i = 0; i < threads; i++) MPI_Comm_free(&all[i].comm);
  free(all);
  if (wrong) printf("%d messages with other bytes\n", wrong);
  MPI_Finalize();
  return wrong != 0;
}
