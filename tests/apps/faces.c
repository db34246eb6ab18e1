// A halo exchange on 16 processes whose faces differ. Arguments: the grid, as 4x4; KiB across each dimension, as 1,64 (0,0: as the variable
// FACES_BYTES says, for input that the arguments do not show); by which ranks the messages go, grid or world.
// cluster: nodes=4 ranks=16 args=4x4,1:64,grid
// cluster: nodes=4 ranks=16 args=2x2x4,64:8:1,world
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { rounds = 10, most_dimensions = 3, unit = 1024, most_units = 64 };
static char out[most_units * unit], in[most_units * unit];

// Reads up to three numbers with any one character between them; returns how many.
static int read_numbers(const char *text, int numbers[most_dimensions]) {
  int count = 0;
  while (count < most_dimensions && *text != '\0') {
    char *end;
    numbers[count++] = (int)strtol(text, &end, 10);
    text = *end == '\0' ? end : end + 1;
  }
  return count;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int dims[most_dimensions], kib[most_dimensions], coords[most_dimensions], size, own, world_rank;
  const int periods[most_dimensions] = {0, 0, 0};
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  const int ndims = argc > 3 ? read_numbers(argv[1], dims) : 0;
  if (ndims == 0 || read_numbers(argv[2], kib) != ndims) MPI_Abort(MPI_COMM_WORLD, 2);
  if (kib[0] == 0 && getenv("FACES_BYTES") != NULL) read_numbers(getenv("FACES_BYTES"), kib);
  const int by_world = strcmp(argv[3], "world") == 0;
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, ndims, dims, periods, 1, &grid);
  MPI_Comm_rank(grid, &own);
  MPI_Cart_coords(grid, own, ndims, coords);
  int cell = 0;
  for (int d = 0; d < ndims; ++d) cell = cell * dims[d] + coords[d];
  MPI_Group of_grid, of_world;
  MPI_Comm_group(grid, &of_grid);
  MPI_Comm_group(MPI_COMM_WORLD, &of_world);
  const MPI_Comm by = by_world ? MPI_COMM_WORLD : grid;
  long sum = 0;
  for (int round = 0; round < rounds; ++round)
    for (int d = 0; d < ndims; ++d) {
      int in_grid[2], beside[2];
      MPI_Cart_shift(grid, d, 1, &in_grid[0], &in_grid[1]);
      if (by_world)
        MPI_Group_translate_ranks(of_grid, 2, in_grid, of_world, beside);
      else
        memcpy(beside, in_grid, sizeof beside);
      const int bytes = kib[d] * unit;
      for (int way = 0; way < 2; ++way) {
        memset(out, cell + round, (size_t)bytes);
        in[0] = 0;
        MPI_Sendrecv(out, bytes, MPI_BYTE, beside[way], 1, in, bytes, MPI_BYTE, beside[1 - way], 1, by, MPI_STATUS_IGNORE);
        sum += in[0];
      }
    }
  long all;
  MPI_Reduce(&sum, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (world_rank == 0) printf("sum of what came in: %ld\n", all);
  MPI_Group_free(&of_grid);
  MPI_Group_free(&of_world);
  MPI_Comm_free(&grid);
  MPI_Finalize();
  return 0;
}
