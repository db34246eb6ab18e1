// Which ranks share a node, as a test program sees it.
#pragma once

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

// The least rank of MPI_COMM_WORLD on this process's node. MPICH 5 over UCX takes every rank for a node of its own:
// then the names of the nodes tell.
static inline int node_leader(void) {
  MPI_Comm node;
  int rank, size, together, most_together, leader;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  leader = rank;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &together);
  MPI_Bcast(&leader, 1, MPI_INT, 0, node);
  MPI_Comm_free(&node);
  MPI_Allreduce(&together, &most_together, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (most_together > 1) return leader;
  enum { length = MPI_MAX_PROCESSOR_NAME };
  char own[length] = "", *all = malloc((size_t)size * length);
  int unused;
  MPI_Get_processor_name(own, &unused);
  MPI_Allgather(own, length, MPI_CHAR, all, length, MPI_CHAR, MPI_COMM_WORLD);
  for (leader = 0; strcmp(all + (size_t)leader * length, own) != 0; ++leader) {
  }
  free(all);
  return leader;
}
