// halo PATTERN ROUNDS BYTES: a program that computes its neighbours from its rank in MPI_COMM_WORLD, as most do, and never asks MPI for a
// better order. PATTERN is grid (two dimensions, one neighbour on each side, not periodic) or mesh (points of a plane in random order, each
// with its nearest ones, unequal messages). Prints how long the exchanges took, on the slowest rank.
// cluster: nodes=4 ranks=8 args=mesh,3,1000
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most = 256, nearest = 4 };
static int rank, size;
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

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 4 || size > most) MPI_Abort(MPI_COMM_WORLD, 2);
  const int rounds = atoi(argv[2]), bytes = atoi(argv[3]);
  if (strcmp(argv[1], "mesh") == 0)
    mesh(bytes);
  else
    grid(bytes);
  char *out = calloc(3, (size_t)bytes), *in = malloc(3 * (size_t)bytes * (size_t)size);
  static MPI_Request requests[2 * most];
  static MPI_Status statuses[2 * most];
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int round = 0; round < rounds; ++round) {
    int n = 0;
    for (int r = 0; r < size; ++r)
      if (bytes_to[r]) MPI_Irecv(in + 3 * (size_t)bytes * (size_t)r, bytes_to[r], MPI_BYTE, r, 0, MPI_COMM_WORLD, &requests[n++]);
    for (int r = 0; r < size; ++r)
      if (bytes_to[r]) MPI_Isend(out, bytes_to[r], MPI_BYTE, r, 0, MPI_COMM_WORLD, &requests[n++]);
    MPI_Waitall(n, requests, statuses);
  }
  double seconds = MPI_Wtime() - start, slowest;
  MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("communication %.3f s\n", slowest);
  MPI_Finalize();
  return 0;
}
