/* Types made by large-count constructors, packed by MPI_Pack so often that Marshal reads them: errors are fatal here,
   so a question that the host refuses ends the program. */
// cluster: ranks=2
// cluster: ranks=1 env=MARSHAL_PACK=mars
#include <mpi.h>
#include <stdio.h>
#include <string.h>

/* Whatever mpi.h says, the host may have them or not; Marshal has all MPI_ names, so the PMPI_ one tells. */
__attribute__((weak)) int MPI_Type_vector_c(MPI_Count, MPI_Count, MPI_Count, MPI_Datatype, MPI_Datatype*);
__attribute__((weak)) int PMPI_Type_vector_c(MPI_Count, MPI_Count, MPI_Count, MPI_Datatype, MPI_Datatype*);

enum { blocks = 300, block = 3, stride = 5, times = 400 };
static int user[blocks * stride], back[blocks * stride];
static char packed[sizeof user], by_host[sizeof user];

int main(int argc, char** argv) {
  int wrong = 0;
  MPI_Init(&argc, &argv);
  if (PMPI_Type_vector_c == NULL) printf("this host has no large-count constructors\n");
  for (int i = 0; i < blocks * stride; i++) user[i] = i;
  MPI_Datatype vector, pair, types[2];
  if (PMPI_Type_vector_c != NULL)
    MPI_Type_vector_c(blocks / 2, block, stride, MPI_INT, &vector);
  else
    MPI_Type_vector(blocks / 2, block, stride, MPI_INT, &vector);
  MPI_Type_contiguous(2, vector, &pair);
  types[0] = vector, types[1] = pair;
  for (int k = 0; k < 2; k++) {
    MPI_Type_commit(&types[k]);
    for (int i = 0; i < times; i++) {
      int position = 0, host_position = 0;
      memset(packed, 0, sizeof packed);
      memset(back, 0, sizeof back);
      MPI_Pack(user, 1, types[k], packed, sizeof packed, &position, MPI_COMM_WORLD);
      PMPI_Pack(user, 1, types[k], by_host, sizeof by_host, &host_position, MPI_COMM_WORLD);
      wrong += position != host_position || memcmp(packed, by_host, (size_t)position) != 0;
      position = 0;
      MPI_Unpack(packed, sizeof packed, &position, back, 1, types[k], MPI_COMM_WORLD);
      wrong += position != host_position;
    }
  }
  MPI_Type_free(&vector);
  MPI_Type_free(&pair);
  printf("%d wrong\n", wrong);
  MPI_Finalize();
  return wrong != 0;
}
