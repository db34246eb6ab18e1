/* Where the host has just enough communicators left for a grid or a graph, the program gets it, and no error handler
 * runs: Marshal makes none of its own then.
 *
 * cluster: nodes=2 ranks=4 cyclic=yes timeout=200 env=MARSHAL_CART=best
 */
#include <mpi.h>
#include <stdio.h>

enum { most = 4096 };
static MPI_Comm made[most];
static int handled;

static void count_error(MPI_Comm* of, int* code, ...) {
  (void)of, (void)code;
  ++handled;
}

static int make_grid(MPI_Comm* grid) {
  const int dims[1] = {4}, periods[1] = {1};
  return MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 1, grid);
}

static int make_graph(MPI_Comm* graph) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int before = (rank + 3) % 4, after = (rank + 1) % 4;
  return MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &after, MPI_UNWEIGHTED,
                                        MPI_INFO_NULL, 1, graph);
}

int main(int argc, char** argv) {
  static int (*const makes[])(MPI_Comm*) = {make_grid, make_graph};
  int rank, count = 0, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(count_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  while (count < most && MPI_Comm_dup(MPI_COMM_WORLD, &made[count]) == MPI_SUCCESS) ++count;
  if (count == most && rank == 0) printf("SKIP: %d communicators, and more are left\n", most);
  for (int left = 1; count < most && left <= 3; ++left) {
    MPI_Comm_free(&made[--count]);
    for (int i = 0; i < 2; ++i) {
      MPI_Comm topology = MPI_COMM_NULL;
      handled = 0;
      const int code = makes[i](&topology);
      if (code != MPI_SUCCESS || topology == MPI_COMM_NULL || handled != 0) {
        printf("rank %d, %d left: %s, code %d, handler called %d times\n", rank, left, i ? "graph" : "grid", code,
               handled);
        wrong = 1;
      }
      if (topology != MPI_COMM_NULL) MPI_Comm_free(&topology);
    }
  }
  while (count > 0) MPI_Comm_free(&made[--count]);
  MPI_Finalize();
  return wrong;
}
