// An error with the default handler ends the job, as on the bare host, and Marshal's records are kept.
// cluster: nodes=1 ranks=2 exit=failure report=any compare=no
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_NULL, &comm);
  MPI_Finalize();
  return 0;
}
