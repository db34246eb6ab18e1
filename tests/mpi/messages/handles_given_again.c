// Types that are freed by the host's own function, unseen, so that their handles are given to larger types:
// messages and broadcasts of these are whole, also where they are read in the middle of their messages.
//
// cluster: nodes=1 ranks=2
// cluster: nodes=1 ranks=2 env=UCX_TLS=tcp,self
// cluster: nodes=1 ranks=2 env=UCX_TLS=tcp,self env=MARSHAL_MESSAGES=on
// cluster: nodes=1 ranks=2 env=MARSHAL_MESSAGES=calls env=MARSHAL_PACK=mars
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/bench/measure.h"

enum { most = 400000, instances = 4, rounds = 60 };
static int me, wrong;
static int *user, *other;

// Every second number of so many.
static MPI_Datatype new_type(int numbers) {
  MPI_Datatype type;
  MPI_Type_vector(numbers, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  return type;
}

static void check(int count, int numbers, int seed, const char* what) {
  const int extent = 2 * numbers - 1;
  for (int i = 0; i < count; i++)
    for (int k = 0; k < numbers; k++)
      if (other[i * extent + 2 * k] != seed + i * extent + 2 * k) {
        printf("%s of %d instances of %d numbers, round %d: number %d of instance %d is missing\n", what, count,
               numbers, seed, k, i);
        wrong++;
        return;
      }
}

static void send(MPI_Datatype type, int count, int numbers, int seed) {
  for (int i = 0; i < most; i++) user[i] = seed + i;
  memset(other, 0xEE, sizeof *other * most);
  usleep(1100);  // Marshal learns from sends some time apart which messages the host keeps back
  if (me == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (seed % 3 == 0)
      MPI_Ssend(user, count, type, 1, seed, MPI_COMM_WORLD);
    else
      MPI_Send(user, count, type, 1, seed, MPI_COMM_WORLD);
  } else {
    MPI_Request request;
    MPI_Irecv(other, count, type, 0, seed, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(count, numbers, seed, "a message");
  }
}

static void broadcast(MPI_Datatype type, int count, int numbers, int seed) {
  for (int i = 0; i < most; i++) other[i] = me == 0 ? seed + i : -1;
  MPI_Bcast(other, count, type, 0, MPI_COMM_WORLD);
  check(count, numbers, seed, "a broadcast");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int (*const free_unseen)(MPI_Datatype*) = (int (*)(MPI_Datatype*))hosts_own("PMPI_Type_free");
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  user = malloc(sizeof *user * most);
  other = malloc(sizeof *other * most);
  int again = 0;
  for (int round = 0; round < rounds; round++) {
    // Types of this place that are used for nothing: later ones are read once they travel.
    for (int k = 0; k < round % 5; k++) {
      MPI_Datatype unused = new_type(10);
      MPI_Type_free(&unused);
    }
    MPI_Datatype small = new_type(5000);
    if (round % 3 == 0) send(small, instances, 5000, 3 * round);
    if (round % 4 == 1) broadcast(small, instances, 5000, 3 * round);
    const MPI_Datatype before = small;
    free_unseen(&small);
    MPI_Datatype large = new_type(20000);
    again += large == before;
    if (round % 2 == 0) broadcast(large, instances, 20000, 3 * round);
    for (int k = 0; k < 4; k++) send(large, instances, 20000, 3 * round + k % 3);
    broadcast(large, instances, 20000, 3 * round);
    free_unseen(&large);
  }
  printf("rank %d: %d wrong, %d handles given again\n", me, wrong, again);
  MPI_Finalize();
  return wrong != 0;
}
