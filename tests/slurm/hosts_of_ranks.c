/* Rank 0 prints the host of each rank, in their order, one a line; and on the last one how many ranks share memory with
   it, by MPI_Comm_split_type. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { longest = 64 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size, sharing;
  MPI_Comm node;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &sharing);
  char host[longest] = {0}, *hosts = malloc((size_t)size * longest);
  gethostname(host, longest - 1);
  MPI_Gather(host, longest, MPI_CHAR, hosts, longest, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (int of = 0; rank == 0 && of < size; of++) puts(hosts + (size_t)of * longest);
  if (rank == 0) printf("sharing %d\n", sharing);
  free(hosts);
  MPI_Comm_free(&node);
  MPI_Finalize();
  return 0;
}
