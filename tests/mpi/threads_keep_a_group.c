// A thread uses a group by a reference that it got unseen, while another one frees its own reference and the
// communicator: that ends the group's entry, which the first thread may stand in (MPI_THREAD_MULTIPLE).
// cluster: nodes=1 ranks=1
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "tests/mpi/thread_multiple.h"

enum { rounds = 300, size = 40 };
static MPI_Group unseen;
static atomic_int given, used, ended, taken;

static void* use(void* wrong) {
  MPI_Group world;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int ranks[size] = {0}, found[size];
  for (int round = 1; round <= rounds; round++) {
    while (atomic_load(&given) < round) continue;
    do {
      MPI_Group_translate_ranks(world, size, ranks, unseen, found);
      for (int k = 0; k < size; k++) *(int*)wrong += found[k] != 0;
      atomic_store(&used, round);
    } while (atomic_load(&ended) < round);
    MPI_Group_free(&unseen);
    atomic_store(&taken, round);
  }
  MPI_Group_free(&world);
  return NULL;
}

int main(int argc, char** argv) {
  init_thread_multiple(&argc, &argv);
  pthread_t user;
  int wrong = 0;
  MPI_Group world;
  const int first = 0;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  pthread_create(&user, NULL, use, &wrong);
  for (int round = 1; round <= rounds; round++) {
    MPI_Comm self;
    MPI_Group seen;
    MPI_Comm_dup(MPI_COMM_SELF, &self);
    MPI_Comm_group(self, &seen);
    PMPI_Comm_group(self, &unseen);
    atomic_store(&given, round);
    while (atomic_load(&used) < round) continue;
    MPI_Group_free(&seen);
    MPI_Comm_free(&self);
    MPI_Group_incl(world, 1, &first, &seen);  // where the entry was, if its memory is free
    MPI_Group_free(&seen);
    atomic_store(&ended, round);
    while (atomic_load(&taken) < round) continue;
  }
  pthread_join(user, NULL);
  MPI_Group_free(&world);
  printf("%d wrong\n", wrong);
  MPI_Finalize();
  return wrong != 0;
}
