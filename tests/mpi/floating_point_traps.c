/* Programs that trap invalid operations, divisions by zero and overflows (gfortran's -ffpe-trap, from before MPI_Init
   on) run under Marshal as they do without: in MPI_Init, in grids, packs and messages, and while the report is made,
   which divides by times and counts that may be zero. */
// cluster: nodes=2 ranks=4 cyclic=yes env=MARSHAL_SELF_CHECK=on
// cluster: nodes=2 ranks=4 cyclic=yes env=MARSHAL_CART_MOVE=ranks args=much
// cluster: nodes=2 ranks=4 env=MARSHAL_CART_WEIGHTS=auto env=MARSHAL_PACK=mars args=much
// cluster: nodes=2 ranks=4 args=nothing
#define _GNU_SOURCE
#include <fenv.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { cells = 1 << 16 };
static int rank, size;
static double field[cells], other[cells], packed[cells];

static void grids(void) {
  const int periods[] = {1, 0}, dims[] = {2, 2};
  MPI_Comm grid, copy, part;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
  MPI_Comm_dup(grid, &copy);
  const int remain[] = {1, 0};
  MPI_Cart_sub(copy, remain, &part);
  double got[4] = {0};
  MPI_Neighbor_allgather(field, 1, MPI_DOUBLE, got, 1, MPI_DOUBLE, copy);
  int degree = 1, next = (rank + 1) % size;
  MPI_Comm graph;
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &graph);
  for (MPI_Comm** each = (MPI_Comm*[]){&graph, &part, &copy, &grid, NULL}; *each != NULL; ++each) MPI_Comm_free(*each);
}

/* Vectors, lists and a transpose, of few bytes and of many. */
static void types(int count) {
  const int lengths[] = {1, 3, 2}, places[] = {0, 4, 9};
  MPI_Datatype all[3], column;
  MPI_Type_vector(count, 1, 4, MPI_DOUBLE, &all[0]);
  MPI_Type_indexed(3, lengths, places, MPI_DOUBLE, &all[1]);
  MPI_Type_vector(count / 8, 1, 8, MPI_DOUBLE, &column);
  MPI_Type_create_hvector(8, 1, sizeof(double), column, &all[2]);
  for (int t = 0; t < 3; ++t) {
    MPI_Type_commit(&all[t]);
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int times = 0; times < 60; ++times) {
      int position = 0;
      MPI_Pack(field, 1, all[t], packed, sizeof packed, &position, MPI_COMM_WORLD);
      position = 0;
      MPI_Unpack(packed, sizeof packed, &position, other, 1, all[t], MPI_COMM_WORLD);
      MPI_Sendrecv(field, 1, all[t], next, 0, other, 1, all[t], before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Bcast(other, 1, all[t], 0, MPI_COMM_WORLD);
    }
    MPI_Type_free(&all[t]);
  }
  MPI_Type_free(&column);
}

static void groups(void) {
  MPI_Group world, odd;
  int ranks[] = {1, 3}, back[2];
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 2, ranks, &odd);
  MPI_Group_translate_ranks(odd, 2, (int[]){0, 1}, world, back);
  if (back[0] != 1 || back[1] != 3) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Group_free(&odd);
  MPI_Group_free(&world);
}

int main(int argc, char** argv) {
  feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
  setenv("MARSHAL_REPORT", "text,json,html", 1);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc < 2 || strcmp(argv[1], "nothing") != 0)
    for (int times = 0; times < 3; ++times) {
      grids();
      groups();
      types(8);
      if (argc > 1) types(4096);
    }
  const int trapped = fegetexcept();
  MPI_Finalize();
  if (trapped == (FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW)) return 0;
  printf("rank %d: traps were switched off\n", rank);
  return 1;
}
