// A communicator is used after it was freed: the host's result, an error or a crash, is the same under Marshal.
// cluster: nodes=1 ranks=1 exit=same report=any compare=no
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm comm, again;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  again = comm;
  MPI_Comm_free(&comm);
  MPI_Comm_dup(again, &comm);
  MPI_Finalize();
  return 0;
}
