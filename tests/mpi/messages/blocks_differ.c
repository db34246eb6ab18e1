// What arrives is right where the two sides differ: the same elements in blocks of other lengths, one of the types
// unknown to Marshal, so that fragments end wherever the sender's blocks do; types that say where their data is; and a
// host that converts: its pipeline is entered, but what comes out has other bytes than the memory.
//
// cluster: nodes=1 ranks=2 env=MARSHAL_MESSAGES=auto
// cluster: nodes=1 ranks=2 env=MARSHAL_MESSAGES=on
// cluster: nodes=1 ranks=2 env=MARSHAL_MESSAGES=calls env=MARSHAL_PACK=mars
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { numbers = 6000, room = 7 * 2000 };
static int me, other, wrong;
static double threes[room], fives[room];

static void check(int good, const char* what) {
  if (good) return;
  printf("rank %d: %s\n", me, what);
  wrong++;
}

// The numbers of a rank, so many at once.
static void fill(double* user, int rank, int length, int stride) {
  for (int i = 0; i < numbers; i++) user[i / length * stride + i % length] = i + 0.25 * rank;
}
static int are(const double* user, int rank, int length, int stride) {
  for (int i = 0; i < numbers; i++)
    if (user[i / length * stride + i % length] != i + 0.25 * rank) return 0;
  return 1;
}

// From MPI_BOTTOM, where `from` and `to` are.
static void exchange(double* from, MPI_Datatype sent, double* to, MPI_Datatype received, int absolute) {
  MPI_Datatype types[2] = {sent, received};
  MPI_Aint places[2];
  const int one = 1;
  MPI_Get_address(from, &places[0]);
  MPI_Get_address(to, &places[1]);
  for (int i = 0; absolute && i < 2; i++) {
    MPI_Type_create_hindexed(1, &one, &places[i], types[i], &types[i]);
    MPI_Type_commit(&types[i]);
  }
  memset(to, 0, sizeof threes);
  MPI_Sendrecv(absolute ? MPI_BOTTOM : from, 1, types[0], other, 0, absolute ? MPI_BOTTOM : to, 1, types[1], other, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; absolute && i < 2; i++) MPI_Type_free(&types[i]);
}

static void convert(MPI_Datatype type) {
  static unsigned char there[8 * numbers];
  MPI_Aint position = 0;
  int good = 1;
  fill(threes, me, 3, 7);
  MPI_Pack_external("external32", threes, 1, type, (void*)there, sizeof there, &position);
  for (int i = 0; i < numbers; i++)
    for (int k = 0; k < 8; k++) good &= there[8 * i + 7 - k] == ((unsigned char*)&threes[i / 3 * 7 + i % 3])[k];
  check(good && position == sizeof there, "MPI_Pack_external");
  position = 0;
  memset(threes, 0, sizeof threes);
  MPI_Unpack_external("external32", (void*)there, sizeof there, &position, threes, 1, type);
  check(are(threes, me, 3, 7), "MPI_Unpack_external");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  other = 1 - me;
  MPI_Datatype of_threes, of_fives;
  MPI_Type_vector(numbers / 3, 3, 7, MPI_DOUBLE, &of_threes);
  PMPI_Type_vector(numbers / 5, 5, 6, MPI_DOUBLE, &of_fives);
  MPI_Type_commit(&of_threes);
  PMPI_Type_commit(&of_fives);  // which Marshal does not see
  for (int absolute = 0; absolute < 2; absolute++) {
    fill(threes, me, 3, 7);
    exchange(threes, of_threes, fives, of_fives, absolute);
    check(are(fives, other, 5, 6), "blocks of 3 received in blocks of 5");
    fill(fives, me, 5, 6);
    exchange(fives, of_fives, threes, of_threes, absolute);
    check(are(threes, other, 3, 7), "blocks of 5 received in blocks of 3");
  }
  convert(of_threes);
  MPI_Type_free(&of_threes);
  MPI_Type_free(&of_fives);
  MPI_Finalize();
  return wrong != 0;
}
