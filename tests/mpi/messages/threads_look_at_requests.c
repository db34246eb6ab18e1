// Threads ask about the same request at once: its message is brought once, and what the program writes into the
// buffer behind that stays.
//
// cluster: nodes=1 ranks=1 timeout=100 sleeps=no env=MARSHAL_MESSAGES=calls env=MARSHAL_PACK=mars
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "tests/mpi/thread_multiple.h"

enum { rows = 40, room = 2 * rows, turns = 50000, threads = 4 };
static int from[room], to[room], wrong;
static MPI_Request request;
static atomic_int turn, known, looked;

static void* look(void* unused) {
  (void)unused;
  for (int t = 1; t <= turns; t++) {
    while (atomic_load(&turn) < t) sched_yield();
    int flag = 0;
    while (!flag) {
      MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
      sched_yield();
    }
    // The first thread that knows has all of it. The other one changes nothing any more.
    if (atomic_fetch_add(&known, 1) % threads == 0) {
      for (int i = 0; i < room; i += 2) wrong += to[i] != from[i];
      memset(to, 0x33, sizeof to);
    }
    atomic_fetch_add(&looked, 1);
  }
  return NULL;
}

int main(int argc, char** argv) {
  init_thread_multiple(&argc, &argv);
  MPI_Datatype type;
  MPI_Type_vector(rows, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  for (int i = 0; i < room; i++) from[i] = i + 1;
  pthread_t ids[threads];
  for (int i = 0; i < threads; i++) pthread_create(&ids[i], NULL, look, NULL);
  for (int t = 1; t <= turns; t++) {
    MPI_Irecv(to, 1, type, 0, 0, MPI_COMM_SELF, &request);
    atomic_store(&turn, t);
    MPI_Send(from, 1, type, 0, 0, MPI_COMM_SELF);
    while (atomic_load(&looked) < threads * t) sched_yield();
    for (int i = 0; i < room; i++) wrong += to[i] != 0x33333333;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < room; i++) wrong += to[i] != 0x33333333;
  }
  for (int i = 0; i < threads; i++) pthread_join(ids[i], NULL);
  MPI_Type_free(&type);
  printf("%d wrong\n", wrong);
  MPI_Finalize();
  return wrong != 0;
}
