// A type that is nested ten thousand deep is packed and sent, as by the host alone: nothing of Marshal's walks so deep.
//
// cluster: nodes=1 ranks=2
// cluster: nodes=1 ranks=2 env=MARSHAL_PACK=mars env=MARSHAL_MESSAGES=on
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { levels = 10000, instances = 500, numbers = 4 * instances };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int me, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Datatype type, next;
  MPI_Type_vector(2, 1, 2, MPI_INT, &type);
  for (int i = 0; i < levels; i++) {
    MPI_Type_create_resized(type, 0, (MPI_Aint)sizeof(int) * (3 + i % 2), &next);
    MPI_Type_free(&type);
    type = next;
  }
  MPI_Type_commit(&type);
  int user[numbers], other[numbers], packed[numbers];
  for (int i = 0; i < numbers; i++) user[i] = i + 1;
  for (int k = 0; k < 200; k++) {
    int position = 0;
    memset(packed, 0, sizeof packed);
    MPI_Pack(user, instances, type, packed, sizeof packed, &position, MPI_COMM_WORLD);
    for (int i = 0; i < 2 * instances; i++) wrong += packed[i] != 2 * i + 1;
  }
  for (int k = 0; k < 5; k++) {
    memset(other, 0, sizeof other);
    MPI_Sendrecv(user, instances, type, 1 - me, k, other, instances, type, 1 - me, k, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < numbers - 1; i++) wrong += other[i] != (i % 2 ? 0 : i + 1);
  }
  printf("rank %d: %d wrong\n", me, wrong);
  MPI_Type_free(&type);
  MPI_Finalize();
  return wrong != 0;
}
