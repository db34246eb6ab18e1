// MPI_Abort in one rank while the others wait: the same end, and Marshal's record is written.
// cluster: nodes=2 ranks=4 exit=failure report=partial compare=no timeout=30
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm comm;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Barrier(comm);
  if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 3);
  MPI_Recv(&rank, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
