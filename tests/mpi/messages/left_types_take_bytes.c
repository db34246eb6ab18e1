// A type whose messages are the host's receives bytes, in fragments that end inside its elements. MPICH's own receivers
// cannot take that (its pull request 6796). Where all threads may call MPI, types of a place are left to the host after
// earlier ones of that place were freed without a message; and types of long blocks always.
//
// cluster: nodes=1 ranks=2 env=MARSHAL_MESSAGES=auto
// cluster: nodes=1 ranks=2 env=MARSHAL_MESSAGES=calls env=MARSHAL_PACK=mars
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { instances = 30000, apart = 64, lives = 400 };
static int me, wrong;

// An int, a double and five chars: 17 bytes of 64.
static MPI_Datatype structs(void) {
  const int lengths[3] = {1, 1, 5};
  const MPI_Aint places[3] = {0, 8, 21};
  const MPI_Datatype types[3] = {MPI_INT, MPI_DOUBLE, MPI_CHAR};
  MPI_Datatype gapless, type;
  MPI_Type_create_struct(3, lengths, places, types, &gapless);
  MPI_Type_create_resized(gapless, 0, apart, &type);
  MPI_Type_free(&gapless);
  return type;
}

static void receive(const char* name, MPI_Datatype type, int count) {
  int size;
  MPI_Aint lower, extent;
  MPI_Type_size(type, &size);
  MPI_Type_get_extent(type, &lower, &extent);
  const int bytes = size * count;
  char *sent = malloc(bytes), *there = malloc(bytes), *user = malloc(extent * count);
  for (int i = 0; i < bytes; i++) sent[i] = (char)(i * 7 + i / 256);
  const char* const ways[] = {"a receive that waits for its message", "a message that waits for its receive",
                              "a message shorter than its receive"};
  for (int way = 0; way < 3; way++) {
    MPI_Request request;
    const int part = way == 2 ? count / 2 * size : bytes;
    memset(user, 0, extent * count);
    if (me == 0) {
      if (way == 1) MPI_Isend(sent, part, MPI_BYTE, 1, way, MPI_COMM_WORLD, &request);
      MPI_Barrier(MPI_COMM_WORLD);
      if (way != 1) MPI_Isend(sent, part, MPI_BYTE, 1, way, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      continue;
    }
    MPI_Status status;
    int arrived, position = 0;
    if (way != 1) MPI_Irecv(user, count, type, 0, way, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    if (way == 1) MPI_Irecv(user, count, type, 0, way, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, type, &arrived);
    memset(there, 0, bytes);
    MPI_Pack(user, count, type, there, bytes, &position, MPI_COMM_SELF);
    int right = arrived == part / size && memcmp(there, sent, part) == 0;
    for (int i = part; i < bytes; i++) right &= there[i] == 0;
    if (right) continue;
    printf("%s, %s: wrong\n", name, ways[way]);
    wrong++;
  }
  free(sent), free(there), free(user);
}

int main(int argc, char** argv) {
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Datatype type;
  for (int life = 0; life <= lives; life++) {
    type = structs();
    MPI_Type_commit(&type);
    if (life < lives) MPI_Type_free(&type);
  }
  receive("structs", type, instances);
  MPI_Type_free(&type);

  MPI_Type_vector(20, 1001, 1500, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  receive("long blocks", type, 3);
  MPI_Type_free(&type);

  receive("pairs", MPI_DOUBLE_INT, instances);  // MPICH makes it in MPI_Init
  if (me == 1) printf("%d wrong\n", wrong);
  MPI_Finalize();
  return wrong != 0;
}
