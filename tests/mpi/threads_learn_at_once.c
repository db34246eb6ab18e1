// Threads ask about communicators and groups that were made unseen, all at the same moment, each for the first time:
// they agree about what each of them is (MPI_THREAD_MULTIPLE).
// cluster: nodes=2 ranks=2 env=MARSHAL_SELF_CHECK=on
// cluster: nodes=2 ranks=2
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

#include "tests/mpi/thread_multiple.h"
#include "wrappers/actions/marshal.h"

enum { threads = 8, rounds = 200, several = 4 };
static pthread_barrier_t meeting;
static MPI_Comm unseen[several];
static MPI_Group world;
static int me, wrong[threads];

// Each communicator has the processes in falling order.
static void ask(int thread) {
  static const int both[2] = {0, 1};
  for (int k = 0; k < several; k++) {
    int relation, found[2] = {-1, -1}, group = -1, lpid = -1, rank = -1;
    MPI_Comm_compare(MPI_COMM_WORLD, unseen[k], &relation);
    wrong[thread] += relation != MPI_SIMILAR;
    MPI_Group members;
    MPI_Comm_group(unseen[k], &members);
    MPI_Group_translate_ranks(members, 2, both, world, found);
    wrong[thread] += found[0] != 1 || found[1] != 0;
    MPI_Group_free(&members);
    if (marshal_comm_process == NULL) continue;
    wrong[thread] += marshal_comm_process(unseen[k], 0, &group, &lpid) != MARSHAL_SUCCESS || lpid != 1;
    wrong[thread] += marshal_comm_rank(unseen[k], 0, 0, &rank) != MARSHAL_SUCCESS || rank != 1;
  }
}

static void* work(void* argument) {
  const int thread = *(int*)argument;
  for (int round = 0; round < rounds; round++) {
    if (thread == 0)
      for (int k = 0; k < several; k++) PMPI_Comm_split(MPI_COMM_WORLD, 0, -me, &unseen[k]);
    pthread_barrier_wait(&meeting);
    ask(thread);
    pthread_barrier_wait(&meeting);
    if (thread == 0)
      for (int k = 0; k < several; k++) (round % 2 ? MPI_Comm_free : PMPI_Comm_free)(&unseen[k]);
  }
  return NULL;
}

int main(int argc, char** argv) {
  init_thread_multiple(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  pthread_barrier_init(&meeting, NULL, threads);
  pthread_t thread[threads];
  int number[threads], all_wrong = 0;
  for (int i = 0; i < threads; i++) {
    number[i] = i;
    pthread_create(&thread[i], NULL, work, &number[i]);
  }
  for (int i = 0; i < threads; i++) {
    pthread_join(thread[i], NULL);
    all_wrong += wrong[i];
  }
  MPI_Group_free(&world);
  if (all_wrong) printf("rank %d: %d wrong\n", me, all_wrong);
  MPI_Finalize();
  return all_wrong != 0;
}
