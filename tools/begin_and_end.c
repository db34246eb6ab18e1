// The smallest MPI program: what Marshal finds inside an MPI library, it finds in MPI_Init. `marshal info` starts it.
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return MPI_Finalize();
}
