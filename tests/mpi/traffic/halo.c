// halo PATTERN ROUNDS BYTES: a program that computes its neighbours from its rank in MPI_COMM_WORLD, as most do, and never asks MPI for a
// better order. PATTERN is grid (two dimensions, one neighbour on each side, not periodic) or mesh (points of a plane in random order, each
// with its nearest ones, unequal messages). A PATTERN as 4x8 asks MPI for such a grid, which may move ranks: the measure of what that gains.
// Prints how long the exchanges took, on the slowest rank.
// cluster: nodes=4 ranks=8 args=mesh,3,1000
// cluster: nodes=4 ranks=8 args=2x4,3,1000
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most = 256, nearest = 4 };
static int rank, size;
static MPI_Comm all = MPI_COMM_WORLD;
static int bytes_to[most]; // this rank's messages; symmetric

static unsigned draw(unsigned long long *state) {
  *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (unsigned)(*state >> 33);
}

static void grid(int bytes) {
  int dims[2] = {0, 0};
  MPI_Dims_create(size, 2, dims);
  const int row = rank / dims[1], column = rank % dims[1];
  if (row > 0) bytes_to[rank - dims[1]] = bytes;
  if (row + 1 < dims[0]) bytes_to[rank + dims[1]] = bytes;
  if (column > 0) bytes_to[rank - 1] = bytes;
  if (column + 1 < dims[1]) bytes_to[rank + 1] = bytes;
}

static void mesh(int bytes) {
  double x[most], y[most];
  unsigned long long state = 1;
  for (int r = 0; r < size; ++r) {
    x[r] = draw(&state) % 10000;
    y[r] = draw(&state) % 10000;
  }
  for (int a = 0; a < size; ++a) {
    char taken[most] = {0};
    taken[a] = 1;
    for (int k = 0; k < nearest; ++k) {
      int best = -1;
      double least = 1e30;
      for (int b = 0; b < size; ++b) {
        const double d = (x[a] - x[b]) * (x[a] - x[b]) + (y[a] - y[b]) * (y[a] - y[b]);
        if (!taken[b] && d < least) least = d, best = b;
      }
      if (best < 0) break;
      taken[best] = 1;
      if (a == rank) bytes_to[best] = bytes * (1 + (a + best) % 3);
      if (best == rank) bytes_to[a] = bytes * (1 + (a + best) % 3);
    }
  }
}

static void asked_for(int dims[2], int bytes) {
  const int periods[2] = {0, 0};
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &all);
  MPI_Comm_rank(all, &rank);
  for (int d = 0; d < 2; ++d) {
    int beside[2];
    MPI_Cart_shift(all, d, 1, &beside[0], &beside[1]);
    for (int i = 0; i < 2; ++i)
      if (beside[i] != MPI_PROC_NULL) bytes_to[beside[i]] = bytes;
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 4 || size > most) MPI_Abort(MPI_COMM_WORLD, 2);
  const int rounds = atoi(argv[2]), bytes = atoi(argv[3]);
  int dims[2];
  if (strcmp(argv[1], "mesh") == 0)
    mesh(bytes);
  else if (sscanf(argv[1], "%dx%d", &dims[0], &dims[1]) == 2)
    asked_for(dims, bytes);
  else
    grid(bytes);
  char *out = calloc(3, (size_t)bytes), *in = malloc(3 * (size_t)bytes * (size_t)size);
  static MPI_Request requests[2 * most];
  static MPI_Status statuses[2 * most];
  MPI_Barrier(all);
  const double start = MPI_Wtime();
  for (int round = 0; round < rounds; ++round) {
    int n = 0;
    for (int r = 0; r < size; ++r)
      if (bytes_to[r]) MPI_Irecv(in + 3 * (size_t)bytes * (size_t)r, bytes_to[r], MPI_BYTE, r, 0, all, &requests[n++]);
    for (int r = 0; r < size; ++r)
      if (bytes_to[r]) MPI_Isend(out, bytes_to[r], MPI_BYTE, r, 0, all, &requests[n++]);
    MPI_Waitall(n, requests, statuses);
  }
  double seconds = MPI_Wtime() - start, slowest;
  MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, all);
  if (rank == 0) printf("communication %.3f s\n", slowest);
  if (all != MPI_COMM_WORLD) MPI_Comm_free(&all);
  MPI_Finalize();
  return 0;
}
