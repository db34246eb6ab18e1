// Grids and their duplicates keep their ranks, and so the coordinates that MPI promises for them. The program did not
// allow reordering, and the settings of older versions, MARSHAL_CART_FORCE=on and MARSHAL_CART_MOVE=coordinates, do not
// bring it. One line says so.
// cluster: nodes=3 ranks=12 env=MARSHAL_CART_FORCE=on args=0
// cluster: nodes=3 ranks=12 cyclic=yes env=MARSHAL_CART_FORCE=on args=0 env=MARSHAL_SELF_CHECK=on
// cluster: nodes=4 ranks=12 cyclic=yes env=MARSHAL_CART_MOVE=coordinates args=1
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { most_dims = 4 };
static int world_rank, failures;

static void check(MPI_Comm parent, MPI_Comm grid, int ndims, const int* dims, const char* what) {
  int rank, parent_rank, mapped = 0, coords[most_dims], d;
  MPI_Comm_rank(parent, &parent_rank);
  MPI_Comm_rank(grid, &rank);
  MPI_Cart_coords(grid, rank, ndims, coords);
  for (d = 0; d < ndims; ++d) mapped = mapped * dims[d] + coords[d];
  if (rank == parent_rank && mapped == rank) return;
  printf("%s: rank %d of the world has rank %d and cell %d\n", what, world_rank, rank, mapped);
  ++failures;
}

static void check_all(MPI_Comm parent, int reorder, int ndims, const int* dims) {
  const int periods[most_dims] = {1, 0, 1, 0};
  int mapped, parent_rank;
  MPI_Comm grid, copy;
  MPI_Cart_create(parent, ndims, dims, periods, reorder, &grid);
  check(parent, grid, ndims, dims, "a grid");
  MPI_Comm_dup(grid, &copy);
  MPI_Comm_free(&grid);
  check(parent, copy, ndims, dims, "its duplicate");
  MPI_Comm_free(&copy);
  if (!reorder) return; /* MPI_Cart_map answers as if it were allowed */
  MPI_Comm_rank(parent, &parent_rank);
  MPI_Cart_map(parent, ndims, dims, periods, &mapped);
  if (mapped == parent_rank) return;
  printf("MPI_Cart_map gives rank %d another one\n", parent_rank);
  ++failures;
}

int main(int argc, char** argv) {
  const int two[] = {4, 3}, three[] = {3, 2, 2}, four[] = {2, 1, 3, 2};
  MPI_Comm backwards;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  const int reorder = argc > 1 && atoi(argv[1]);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &backwards);
  check_all(MPI_COMM_WORLD, reorder, 2, two);
  check_all(MPI_COMM_WORLD, reorder, 4, four);
  check_all(backwards, reorder, 3, three);
  MPI_Comm_free(&backwards);
  int sum = 0;
  MPI_Allreduce(&failures, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return sum != 0;
}
