// Linked with MPI, but never calls it: no report, no message, nothing.
// cluster: nodes=1 ranks=2 report=no
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  if (argc > 100) MPI_Init(&argc, &argv);
  puts("done");
  return 0;
}
