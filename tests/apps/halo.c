// A stencil in three dimensions: six faces of a block go to the neighbours as subarrays, by MPI_Irecv, MPI_Isend and
// MPI_Waitall, as most codes of that kind do. The sums of all blocks are compared to the last bit.
//
// cluster: nodes=2 ranks=4 timeout=300
// cluster: nodes=2 ranks=8 env=MARSHAL_CART=off env=MARSHAL_MESSAGES=on timeout=300
//
// usage: halo [CELLS [STEPS]]: of a block's edge. The time goes to standard error.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int n = 40, steps = 20;

static double* at(double* block, int i, int j, int k) { return block + ((size_t)i * (n + 2) + j) * (n + 2) + k; }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc > 1) n = atoi(argv[1]);
  if (argc > 2) steps = atoi(argv[2]);
  int ranks, me, dims[3] = {0, 0, 0}, periods[3] = {1, 1, 1}, place[3];
  MPI_Comm grid;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 3, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 1, &grid);
  MPI_Comm_rank(grid, &me);
  MPI_Cart_coords(grid, me, 3, place);

  // The faces that go to the lower and the upper neighbour of each dimension, and those that come from there.
  MPI_Datatype sent[6], received[6];
  int neighbours[6];
  for (int d = 0; d < 3; d++) {
    MPI_Cart_shift(grid, d, 1, &neighbours[2 * d], &neighbours[2 * d + 1]);
    for (int upper = 0; upper < 2; upper++) {
      const int all[3] = {n + 2, n + 2, n + 2};
      int sizes[3] = {n, n, n}, starts[3] = {1, 1, 1};
      sizes[d] = 1;
      starts[d] = upper ? n : 1;
      MPI_Type_create_subarray(3, all, sizes, starts, MPI_ORDER_C, MPI_DOUBLE, &sent[2 * d + upper]);
      starts[d] = upper ? n + 1 : 0;
      MPI_Type_create_subarray(3, all, sizes, starts, MPI_ORDER_C, MPI_DOUBLE, &received[2 * d + upper]);
      MPI_Type_commit(&sent[2 * d + upper]);
      MPI_Type_commit(&received[2 * d + upper]);
    }
  }

  const size_t cells = (size_t)(n + 2) * (n + 2) * (n + 2);
  double *now = calloc(cells, sizeof *now), *next = calloc(cells, sizeof *next);
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= n; j++)
      for (int k = 1; k <= n; k++)
        *at(now, i, j, k) = (place[0] * 131 + i) % 17 + (place[1] * 137 + j) % 19 + (place[2] * 139 + k) % 23;

  double exchanging = 0;
  const double began = MPI_Wtime();
  for (int step = 0; step < steps; step++) {
    MPI_Request requests[12];
    const double before = MPI_Wtime();
    // A face that goes down arrives from above.
    for (int f = 0; f < 6; f++) MPI_Irecv(now, 1, received[f], neighbours[f], f ^ 1, grid, &requests[f]);
    for (int f = 0; f < 6; f++) MPI_Isend(now, 1, sent[f], neighbours[f], f, grid, &requests[6 + f]);
    MPI_Waitall(12, requests, MPI_STATUSES_IGNORE);
    exchanging += MPI_Wtime() - before;
    for (int i = 1; i <= n; i++)
      for (int j = 1; j <= n; j++)
        for (int k = 1; k <= n; k++)
          *at(next, i, j, k) = (*at(now, i - 1, j, k) + *at(now, i + 1, j, k) + *at(now, i, j - 1, k) +
                                *at(now, i, j + 1, k) + *at(now, i, j, k - 1) + *at(now, i, j, k + 1)) /
                               6;
    double* const swapped = now;
    now = next;
    next = swapped;
  }
  const double seconds = MPI_Wtime() - began;

  double sum = 0;
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= n; j++)
      for (int k = 1; k <= n; k++) sum += *at(now, i, j, k) * (1 + (i * 7 + j * 5 + k * 3) % 11);
  printf("block %d %d %d: %.17g\n", place[0], place[1], place[2], sum);
  if (me == 0) fprintf(stderr, "%.3f s, %.3f s of it exchanging faces\n", seconds, exchanging);
  for (int f = 0; f < 6; f++) {
    MPI_Type_free(&sent[f]);
    MPI_Type_free(&received[f]);
  }
  free(now);
  free(next);
  MPI_Comm_free(&grid);
  MPI_Finalize();
}
