// A program waits for the duplicate of a grid whose ranks were moved. At once it makes a part and other duplicates of
// the grid, or has neighbours exchange. Marshal begins nothing of its own on the grid: beside a duplicate that is under
// way Open MPI's MPI_Cart_sub and MPI_Comm_dup of the same communicator hang.
// cluster: nodes=3 ranks=12 env=MARSHAL_CART_MOVE=ranks
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  const int dims[2] = {4, 3}, periods[2] = {1, 1}, remain[2] = {0, 1};
  int me, rank, moved, any_moved, failures = 0, sum;
  MPI_Comm grid;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
  MPI_Comm_rank(grid, &rank);
  moved = rank != me;
  MPI_Allreduce(&moved, &any_moved, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  if (!any_moved) printf("nothing moved, so nothing was tested\n");
  for (int i = 0; i < 50; ++i) {
    MPI_Comm duplicate, part, second;
    MPI_Request request;
    int of_part, of[4], back[2];
    MPI_Comm_idup(grid, &duplicate, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (i % 4 == 1) MPI_Comm_dup(grid, &second);
    if (i % 4 == 2) {
      MPI_Comm_idup(grid, &second, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (i % 4 == 3) {
      MPI_Ineighbor_allgather(&rank, 1, MPI_INT, of, 1, MPI_INT, grid, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      MPI_Cart_shift(grid, 1, 1, &back[0], &back[1]);
      failures += of[2] != back[0] || of[3] != back[1];
    } else if (i % 4 != 0) {
      MPI_Comm_free(&second);
    }
    MPI_Cart_sub(grid, remain, &part);
    MPI_Comm_size(part, &of_part);
    failures += of_part != 3;
    MPI_Comm_free(&part);
    MPI_Comm_free(&duplicate);
  }
  MPI_Comm_free(&grid);
  MPI_Allreduce(&failures, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (sum != 0 && me == 0) printf("%d parts have the wrong size\n", sum);
  MPI_Finalize();
  return sum != 0 || !any_moved;
}
