// The smallest MPI program.
// cluster: nodes=1 ranks=1
// cluster: nodes=4 ranks=8 under=run
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  printf("hello from %d of %d\n", rank, ranks);
  MPI_Finalize();
  return 0;
}
