// A second MPI_Finalize: the host's own error, and no second report.
// cluster: nodes=1 ranks=1 exit=same report=any compare=no
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Finalize();
  MPI_Finalize();
  return 0;
}
