// leak HOW MOST: makes so many communicators, windows or files in one way and frees none. Ends at the first that the
// host refuses, and rank 0 says how many it made.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank;
static MPI_Comm grid;

static int leak(const char *how) {
  MPI_Comm comm;
  MPI_Win window;
  MPI_File file;
  const int remain[1] = {1};
  if (strcmp(how, "dup") == 0)
    return MPI_Comm_dup(MPI_COMM_WORLD, &comm);  // here: dup
  if (strcmp(how, "split") == 0)
    return MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &comm);  // here: split
  if (strcmp(how, "parts") == 0)
    return MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : rank % 2, 0, &comm);  // here: parts
  if (strcmp(how, "sub") == 0)
    return MPI_Cart_sub(grid, remain, &comm);  // here: sub
  if (strcmp(how, "window") == 0)
    return MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);  // here: window
  return MPI_File_open(MPI_COMM_WORLD, "leak.file", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);  // here: file
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int size, made = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int dims[1] = {size}, periods[1] = {0};
  MPI_Comm other;
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &grid);
  MPI_Comm_dup(MPI_COMM_WORLD, &other);  // a place that leaks less
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (const int most = atoi(argv[2]); made < most && leak(argv[1]) == MPI_SUCCESS;) ++made;
  if (rank == 0) printf("made %d\n", made + 2);
  fflush(stdout);
  return MPI_Finalize();
}
