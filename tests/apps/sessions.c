// The MPI-4 way: sessions, communicators from groups, no MPI_Init at first; then both at once.
// cluster: nodes=2 ranks=4 env=MARSHAL_SELF_CHECK=on
// cluster: nodes=2 ranks=4 args=both env=MARSHAL_SELF_CHECK=on
#include <mpi.h>
#include <stdio.h>

static void in_session(const char* name) {
  MPI_Session session;
  MPI_Group group, odd;
  MPI_Comm world, some;
  int rank, ranks, sum;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, name, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &world);
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &ranks);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, world);
  printf("%s: %d of %d, sum %d\n", name, rank, ranks, sum);
  int ranges[1][3] = {{1, ranks - 1, 2}};
  MPI_Group_range_incl(group, 1, ranges, &odd);
  if (rank % 2) {
    MPI_Comm_create_from_group(odd, "odd", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &some);
    int place, size;
    MPI_Comm_rank(some, &place);
    MPI_Comm_size(some, &size);
    printf("%s, odd: %d is %d of %d\n", name, rank, place, size);
    MPI_Comm_free(&some);
  }
  MPI_Comm_dup(world, &some);
  MPI_Comm_free(&some);
  // There is no MPI_COMM_SELF to try packing on.
  int numbers[6] = {0, 1, 2, 3, 4, 5}, packed[2], position = 0;
  MPI_Datatype pair;
  MPI_Type_vector(2, 1, 3, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Pack(numbers, 1, pair, packed, sizeof packed, &position, world);
  MPI_Type_free(&pair);
  printf("%s: packed %d %d\n", name, packed[0], packed[1]);
  MPI_Group_free(&odd);
  MPI_Group_free(&group);
  MPI_Comm_free(&world);
  MPI_Session_finalize(&session);
}

int main(int argc, char** argv) {
  const int both = argc > 1;
  if (both) MPI_Init(&argc, &argv);
  in_session("first session");
  if (both) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("world %d\n", rank);
    MPI_Finalize();
  }
  return 0;
}
