// Four ranks write the inside of ghosted 2-D arrays into a PnetCDF file: one by a collective call with a datatype for the
// memory, one by a call that is waited for. They read both back. usage: pnetcdf-ghosted FILE
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>

enum { rows = 60, columns = 50, ghosts = 2, all_rows = rows + 2 * ghosts, all_columns = columns + 2 * ghosts };
static double out[all_rows][all_columns], in[all_rows][all_columns];
static int me, wrong;

static void begin(double more) {
  for (int i = 0; i < all_rows; ++i)
    for (int j = 0; j < all_columns; ++j) {
      out[i][j] = me + 10.0 * i + 1000.0 * j + more;
      in[i][j] = -1;
    }
}

static void expect(void) {
  for (int i = 0; i < all_rows; ++i)
    for (int j = 0; j < all_columns; ++j) {
      const int ghost = i < ghosts || i >= rows + ghosts || j < ghosts || j >= columns + ghosts;
      wrong += in[i][j] != (ghost ? -1 : out[i][j]);
    }
}

static void check(int code) {
  if (code == NC_NOERR) return;
  printf("rank %d: %s\n", me, ncmpi_strerror(code));
  ++wrong;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks, file, dimensions[2], variables[2], requests[1], codes[1];
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 2 || ranks != 4) MPI_Abort(MPI_COMM_WORLD, 2);
  const int sizes[2] = {all_rows, all_columns}, part[2] = {rows, columns}, behind[2] = {ghosts, ghosts};
  MPI_Datatype inside;
  MPI_Type_create_subarray(2, sizes, part, behind, MPI_ORDER_C, MPI_DOUBLE, &inside);
  MPI_Type_commit(&inside);
  check(ncmpi_create(MPI_COMM_WORLD, argv[1], NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &file));
  check(ncmpi_def_dim(file, "rows", 2 * rows, &dimensions[0]));
  check(ncmpi_def_dim(file, "columns", 2 * columns, &dimensions[1]));
  check(ncmpi_def_var(file, "collective", NC_DOUBLE, 2, dimensions, &variables[0]));
  check(ncmpi_def_var(file, "waited_for", NC_DOUBLE, 2, dimensions, &variables[1]));
  check(ncmpi_enddef(file));
  const MPI_Offset start[2] = {me / 2 * rows, me % 2 * columns}, count[2] = {rows, columns};
  begin(0);
  check(ncmpi_put_vara_all(file, variables[0], start, count, out, 1, inside));
  check(ncmpi_get_vara_all(file, variables[0], start, count, in, 1, inside));
  expect();
  begin(0.5);
  check(ncmpi_iput_vara(file, variables[1], start, count, out, 1, inside, requests));
  check(ncmpi_wait_all(file, 1, requests, codes));
  check(codes[0]);
  check(ncmpi_iget_vara(file, variables[1], start, count, in, 1, inside, requests));
  check(ncmpi_wait_all(file, 1, requests, codes));
  check(codes[0]);
  expect();
  check(ncmpi_close(file));
  MPI_Type_free(&inside);
  if (wrong) printf("rank %d: %d other elements\n", me, wrong);
  MPI_Finalize();
  return wrong != 0;
}
