// Counts the nodes that the host's shared-memory split sees: the emulation's own check.
// cluster: nodes=4 ranks=8
// cluster: sizes=1,3,2
// cluster: nodes=3 ranks=6 cyclic=yes
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, place, size, nodes;
  MPI_Comm node;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &place);
  MPI_Comm_size(node, &size);
  const int leads = place == 0;
  MPI_Allreduce(&leads, &nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  int first = rank;
  MPI_Bcast(&first, 1, MPI_INT, 0, node);
  printf("rank %d of %d on %d nodes: %d of %d with rank %d\n", rank, ranks, nodes, place, size, first);
  MPI_Comm_free(&node);
  MPI_Finalize();
  return 0;
}
