// A thread packs a type by a reference of its own (MPI_Type_get_contents). Meanwhile another one gives back the first
// reference, and makes, packs and frees more types than Marshal keeps in mind (MPI_THREAD_MULTIPLE). The bytes are
// right.
// cluster: nodes=1 ranks=1 env=MARSHAL_PACK=mars env=MALLOC_PERTURB_=165
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/mpi/thread_multiple.h"

enum { blocks = 50000, instances = 600, others = 1500, rounds = 3 };
static int user[4 * blocks + instances], at[blocks];
static int* packed;
static MPI_Datatype own;
static atomic_int is_packing;

static void* pack(void* unused) {
  int position = 0;
  is_packing = 1;
  MPI_Pack(user, instances, own, packed, instances * blocks * (int)sizeof(int), &position, MPI_COMM_SELF);
  return unused;
}

static void pack_once(MPI_Datatype type, int size) {
  int position = 0;
  MPI_Pack(user, 1, type, packed, size, &position, MPI_COMM_SELF);
}

int main(int argc, char** argv) {
  int wrong = 0;
  init_thread_multiple(&argc, &argv);
  packed = malloc(sizeof(int) * blocks * instances);
  for (int i = 0; i < 4 * blocks + instances; ++i) user[i] = i;
  srand(1);
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < blocks; ++i) at[i] = 4 * i + rand() % 4;
    MPI_Datatype list, first, pair;
    MPI_Type_create_indexed_block(blocks, 1, at, MPI_INT, &list);
    MPI_Type_create_resized(list, 0, sizeof(int), &first);
    MPI_Type_commit(&first);
    MPI_Type_free(&list);
    pack_once(first, blocks * (int)sizeof(int));
    MPI_Type_contiguous(2, first, &pair);
    int two;
    MPI_Aint none;
    MPI_Type_get_contents(pair, 1, 0, 1, &two, &none, &own);
    MPI_Type_free(&pair);
    is_packing = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, pack, NULL);
    while (!is_packing) continue;
    nanosleep(&(struct timespec){0, 1000000}, NULL);
    MPI_Type_free(&first);
    for (int i = 0; i < others; ++i) {
      MPI_Datatype other;
      MPI_Type_create_indexed_block(3, 1, (int[]){0, 2 + round, 5 + i + round}, MPI_INT, &other);
      MPI_Type_commit(&other);
      int small[3], position = 0;
      MPI_Pack(user, 1, other, small, sizeof small, &position, MPI_COMM_SELF);
      MPI_Type_free(&other);
    }
    pthread_join(thread, NULL);
    for (int n = 0; n < instances; ++n)
      for (int i = 0; i < blocks; ++i)
        if (packed[n * blocks + i] != at[i] + n && wrong++ < 5)
          printf("round %d: int %d of instance %d is %d\n", round, i, n, packed[n * blocks + i]);
    MPI_Type_free(&own);
  }
  free(packed);
  printf("%d wrong\n", wrong);
  MPI_Finalize();
  return wrong != 0;
}
