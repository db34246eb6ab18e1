// Calls that are allowed before MPI_Init and after MPI_Finalize.
// cluster: nodes=1 ranks=2
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int before = -1, after = -1, finalized = -1, version = 0, subversion, length;
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
  MPI_Initialized(&before);
  MPI_Get_version(&version, &subversion);
  MPI_Get_library_version(library, &length);
  MPI_Init(&argc, &argv);
  MPI_Finalize();
  MPI_Initialized(&after);
  MPI_Finalized(&finalized);
  printf("initialized %d then %d, finalized %d, MPI %d.%d\n", before, after, finalized, version, subversion);
  return 0;
}
