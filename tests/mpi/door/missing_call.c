/* A program that calls what its host does not have ends with one line, as the dynamic linker would end it. */
// cluster: nodes=1 ranks=1 exit=127 report=no compare=no
// cluster: nodes=1 ranks=1 exit=127 report=no compare=no under=family
#include <mpi.h>
#include <stdlib.h>

__attribute__((weak)) int MPI_Type_vector_c(MPI_Count, MPI_Count, MPI_Count, MPI_Datatype, MPI_Datatype*);
__attribute__((weak)) int PMPI_Type_vector_c(MPI_Count, MPI_Count, MPI_Count, MPI_Datatype, MPI_Datatype*);

int main(int argc, char** argv) {
  MPI_Datatype type;
  MPI_Init(&argc, &argv);
  if (PMPI_Type_vector_c != NULL || MPI_Type_vector_c == NULL) _Exit(127); /* the host has it */
  MPI_Type_vector_c(1, 1, 1, MPI_INT, &type);
  return 0;
}
