// Threads pack and unpack with one type, all at once, while each makes, uses and frees types of its own.
// cluster: nodes=1 ranks=1 env=MARSHAL_PACK=auto
// cluster: nodes=1 ranks=1 env=MARSHAL_PACK=mars env=MARSHAL_SEGMENT=4
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "tests/mpi/thread_multiple.h"

enum { threads = 4, rounds = 300, count = 40, most = 1 << 15 };
static MPI_Datatype shared;
static char user[most], expected[most];
static int expected_size;
static atomic_int wrong;

static void use_shared(void) {
  char packed[most], back[most];
  for (int turn = 0; turn < 3; turn++) {
    int position = 0;
    MPI_Pack(user, count, shared, packed, most, &position, MPI_COMM_WORLD);
    if (position != expected_size || memcmp(packed, expected, expected_size) != 0) ++wrong;
    memset(back, 0, most);
    position = 0;
    MPI_Unpack(expected, expected_size, &position, back, count, shared, MPI_COMM_WORLD);
    position = 0;
    MPI_Pack(back, count, shared, packed, most, &position, MPI_COMM_WORLD);
    if (memcmp(packed, expected, expected_size) != 0) ++wrong;
  }
}

static void use_own(int seed) {
  char packed[most], packed_by_host[most];
  MPI_Datatype own;
  MPI_Type_vector(2 + seed % 5, 1 + seed % 3, 4 + seed % 4, MPI_INT, &own);
  MPI_Type_commit(&own);
  for (int turn = 0; turn < (seed % 8 ? 2 : 80); turn++) {
    int position = 0, host_position = 0;
    MPI_Pack(user, 1 + seed % 9, own, packed, most, &position, MPI_COMM_WORLD);
    PMPI_Pack(user, 1 + seed % 9, own, packed_by_host, most, &host_position, MPI_COMM_WORLD);
    if (position != host_position || memcmp(packed, packed_by_host, position) != 0) ++wrong;
  }
  MPI_Type_free(&own);
}

static void* work(void* argument) {
  const int thread = *(int*)argument;
  for (int round = 0; round < rounds; round++) {
    use_shared();
    use_own(round * threads + thread);
  }
  return NULL;
}

int main(int argc, char** argv) {
  init_thread_multiple(&argc, &argv);
  for (int i = 0; i < most; i++) user[i] = (char)(i * 2654435761u >> 13);
  int lengths[3] = {1, 1, 3};
  MPI_Aint places[3] = {0, 8, 16};
  MPI_Datatype parts[3] = {MPI_INT, MPI_DOUBLE, MPI_CHAR}, plain;
  MPI_Type_create_struct(3, lengths, places, parts, &plain);
  MPI_Type_create_resized(plain, 0, 24, &shared);
  MPI_Type_commit(&shared);
  PMPI_Pack(user, count, shared, expected, most, &expected_size, MPI_COMM_WORLD);
  pthread_t all[threads];
  int numbers[threads];
  for (int i = 0; i < threads; i++) {
    numbers[i] = i;
    pthread_create(&all[i], NULL, work, &numbers[i]);
  }
  for (int i = 0; i < threads; i++) pthread_join(all[i], NULL);
  MPI_Type_free(&plain);
  MPI_Type_free(&shared);
  printf("%d wrong\n", wrong);
  MPI_Finalize();
  return wrong != 0;
}
