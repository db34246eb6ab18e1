// Messages of known numbers and sizes, for the report to tell apart. The argument is one of these:
//   types: 500 datatypes that are made, sent once and freed, from one line, and as many messages of a predefined one;
//   grids: a grid, and another one made from it, in which all is sent but a gather on the world; the first is not used;
//   freed: the same, and the first grid is freed at once; nothing is sent in the second one either;
//   ring: a grid that the program does not let MPI reorder, and in it a ring of messages to the next rank.
// cluster: nodes=2 ranks=4 args=types
// cluster: nodes=2 ranks=4 cyclic=yes args=grids
// cluster: nodes=2 ranks=4 cyclic=yes args=ring
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { brief = 500, rows = 40, columns = 3, unit = 1000 };
static double out[rows * rows], in[rows * rows];
static int rank, ranks;

// To the next rank of a communicator, and from the one before.
static void send_on(MPI_Comm comm, int bytes) {
  int own, size;
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &size);
  MPI_Sendrecv(out, bytes, MPI_BYTE, (own + 1) % size, 1, in, bytes, MPI_BYTE, (own + size - 1) % size, 1, comm, MPI_STATUS_IGNORE);
}

static void send_types(void) {
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  for (int i = 0; i < brief; ++i) {
    const int size[2] = {rows, rows}, part[2] = {rows, columns}, start[2] = {0, 1};
    MPI_Datatype type;
    MPI_Type_create_subarray(2, size, part, start, MPI_ORDER_C, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    MPI_Sendrecv(out, 1, type, next, 0, in, rows * columns, MPI_DOUBLE, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    send_on(MPI_COMM_WORLD, unit);
  }
}

static void use_grids(int is_freed) {
  const int first[2] = {2, ranks / 2}, second[2] = {ranks, 1}, periods[2] = {1, 1};
  MPI_Comm unused, used, same;
  MPI_Cart_create(MPI_COMM_WORLD, 2, first, periods, 1, &unused);
  MPI_Cart_create(unused, 2, second, periods, 1, &used);
  if (is_freed) MPI_Comm_free(&unused);
  MPI_Comm_dup(used, &same);
  if (!is_freed) {
    send_on(used, unit);
    send_on(same, unit);
  }
  if (rank != 0) MPI_Send(out, unit, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
  for (int i = 1; rank == 0 && i < ranks; ++i) MPI_Recv(in, unit, MPI_BYTE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Comm_free(&same);
  MPI_Comm_free(&used);
  if (!is_freed) MPI_Comm_free(&unused);
}

static void send_in_ring(void) {
  const int dims[2] = {2, ranks / 2}, periods[2] = {1, 1};
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  send_on(grid, unit);
  MPI_Comm_free(&grid);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char *what = argc > 1 ? argv[1] : "types";
  if (strcmp(what, "types") == 0) send_types();
  if (strcmp(what, "grids") == 0) use_grids(0);
  if (strcmp(what, "freed") == 0) use_grids(1);
  if (strcmp(what, "ring") == 0) send_in_ring();
  MPI_Finalize();
  return 0;
}
