/* MPI_Dist_graph_create after so and so many nonblocking collectives on its communicator, while one process comes late.
   Open MPI up to 5.0.10 hangs after 17 or 18 of them, or after 23 or 24, now and then: it takes the message of a
   collective inside the creation for an edge (its issue 13918). Reordered or not, every call returns the graph, with the
   communicator's error handler. */
// cluster: nodes=2 ranks=8 cyclic=yes
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { fewest = 15, most = 26, late_us = 2000 };
static int rank, ranks, failures;

static void handler(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  (void)code;
}

static void make(int collectives, int late, int reorder, MPI_Errhandler errors) {
  MPI_Comm comm, graph;
  MPI_Errhandler kept;
  int in, out, weighted, degree = 2;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, errors);
  for (int i = 0; i < collectives; ++i) {
    MPI_Request request;
    MPI_Ibarrier(comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (rank == late) usleep(late_us);
  const int beside[2] = {(rank + ranks - 1) % ranks, (rank + 1) % ranks};
  MPI_Dist_graph_create(comm, 1, &rank, &degree, beside, MPI_UNWEIGHTED, MPI_INFO_NULL, reorder, &graph);
  MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
  if (in != 2 || out != 2 || weighted)
    ++failures, printf("rank %d: %d and %d neighbours, not 2, after %d collectives\n", rank, in, out, collectives);
  MPI_Comm_get_errhandler(graph, &kept);
  if (kept != errors) ++failures, printf("rank %d: not the error handler of the communicator\n", rank);
  MPI_Errhandler_free(&kept);
  MPI_Comm_free(&graph);
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  int all;
  MPI_Errhandler errors;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_create_errhandler(handler, &errors);
  for (int collectives = fewest; collectives <= most; ++collectives)
    for (int late = 0; late < ranks; ++late)
      for (int reorder = 0; reorder < 2; ++reorder) make(collectives, late, reorder, errors);
  MPI_Errhandler_free(&errors);
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all != 0;
}
