// Errors in calls on a grid whose ranks were moved go to the error handler that the grid has then, once, with the
// grid's own handle. What MPI_Cart_sub and the duplications make inherits that handler. As on a grid that nobody moved.
// cluster: nodes=3 ranks=12 env=MARSHAL_CART_MOVE=ranks
#include <mpi.h>
#include <stdio.h>

static int me, failures, calls;
static MPI_Comm seen;

static void count_calls(MPI_Comm* comm, int* code, ...) {
  (void)code;
  seen = *comm;
  ++calls;
}

static int class_of(int code) {
  int class;
  MPI_Error_class(code, &class);
  return class;
}

static void check(int good, const char* what) {
  if (good) return;
  ++failures;
  printf("rank %d: %s: %d calls of the error handler\n", me, what, calls);
}

typedef struct {
  int blocking, nonblocking, on_part; /* classes */
} Errors;

static Errors errors_on(MPI_Comm grid, int are_counted, const char* name) {
  int mine = 0, all[4] = {0}, remain[2] = {0, 1};
  Errors found;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm part;
  calls = 0;
  found.blocking = class_of(MPI_Neighbor_allgather(&mine, -1, MPI_INT, all, 1, MPI_INT, grid));
  check(calls == are_counted && (!are_counted || seen == grid), name);
  calls = 0;
  found.nonblocking = class_of(MPI_Ineighbor_allgather(&mine, -1, MPI_INT, all, 1, MPI_INT, grid, &request));
  check(calls == are_counted && (!are_counted || seen == grid), name);
  calls = 0;
  MPI_Cart_sub(grid, remain, &part);
  check(calls == 0, name);
  found.on_part = class_of(MPI_Send(&mine, 1, MPI_INT, 1000, 0, part));
  check(calls == are_counted && (!are_counted || seen == part), name);
  MPI_Comm_free(&part);
  return found;
}

int main(int argc, char** argv) {
  const int dims[2] = {4, 3}, periods[2] = {1, 1};
  int rank, moved, any_moved, sum;
  MPI_Comm grid, unmoved, copy, later;
  MPI_Request request;
  MPI_Errhandler counting;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
  PMPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &unmoved);
  MPI_Comm_rank(grid, &rank);
  moved = rank != me;
  MPI_Allreduce(&moved, &any_moved, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  check(any_moved, "nothing moved, so nothing was tested");
  MPI_Comm_create_errhandler(count_calls, &counting);
  MPI_Comm_set_errhandler(grid, counting);
  MPI_Comm_set_errhandler(unmoved, counting);

  const Errors expected = errors_on(unmoved, 1, "a grid that nobody moved");
  const Errors found = errors_on(grid, 1, "a moved grid");
  check(found.blocking == expected.blocking && found.blocking != MPI_SUCCESS, "MPI_Neighbor_allgather");
  check(found.nonblocking == expected.nonblocking && found.nonblocking != MPI_SUCCESS, "MPI_Ineighbor_allgather");
  check(found.on_part == expected.on_part && found.on_part != MPI_SUCCESS, "a part");

  MPI_Comm_dup(grid, &copy);
  MPI_Comm_idup(grid, &later, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_set_errhandler(later, counting); /* not all hosts let it inherit */
  MPI_Comm_set_errhandler(grid, MPI_ERRORS_RETURN);
  check(errors_on(grid, 0, "errors return").blocking == expected.blocking, "errors return");
  errors_on(copy, 1, "a duplicate");
  errors_on(later, 1, "a duplicate, later");

  MPI_Errhandler_free(&counting);
  MPI_Comm_free(&later);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&unmoved);
  MPI_Comm_free(&grid);
  MPI_Allreduce(&failures, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return sum != 0;
}
