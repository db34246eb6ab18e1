// exit() without MPI_Finalize: each rank leaves a partial report.
// cluster: nodes=1 ranks=2 exit=any report=partial compare=no
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Barrier(comm);
  exit(0);
}
