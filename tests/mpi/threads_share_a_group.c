// Hosts give out one handle for the group of a communicator, counted: several threads of each process have it, use it
// and free it, each as often as it got it (MPI_THREAD_MULTIPLE).
// cluster: nodes=1 ranks=2 env=MARSHAL_SELF_CHECK=on
// cluster: nodes=1 ranks=2
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

#include "tests/mpi/thread_multiple.h"

enum { threads = 4, rounds = 1000 };
static int me, size;

static void* work(void* wrong) {
  for (int round = 0; round < rounds; round++) {
    MPI_Group world, self;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Comm_group(MPI_COMM_SELF, &self);
    int all[2] = {0, 1}, in_self[2], rank, relation;
    MPI_Group_translate_ranks(world, 2, all, self, in_self);
    *(int*)wrong += in_self[me] != 0 || in_self[1 - me] != MPI_UNDEFINED;
    MPI_Group_translate_ranks(self, 1, all, world, &rank);
    *(int*)wrong += rank != me;
    MPI_Group_compare(world, self, &relation);
    *(int*)wrong += relation != MPI_UNEQUAL;
    MPI_Group_free(&self);
    MPI_Group_free(&world);
  }
  return NULL;
}

int main(int argc, char** argv) {
  init_thread_multiple(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) {
    printf("needs two ranks\n");
    MPI_Finalize();
    return 77;
  }
  pthread_t thread[threads];
  int wrong[threads] = {0}, all_wrong = 0;
  for (int i = 0; i < threads; i++) pthread_create(&thread[i], NULL, work, &wrong[i]);
  for (int i = 0; i < threads; i++) {
    pthread_join(thread[i], NULL);
    all_wrong += wrong[i];
  }
  printf("rank %d: %d wrong\n", me, all_wrong);
  MPI_Finalize();
  return all_wrong != 0;
}
