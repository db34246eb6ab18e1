/* Two made-up nodes of eight processes in two packages each: a 4x4 grid lies on the nodes as well as it can in the given order, and
   within them packages hold squares instead of rows. One process a node loads hwloc's topology, as hwloc itself says on standard error. */
// cluster: ranks=16 env='MARSHAL_TOPOLOGY=nodes:8,8 package:2 core:4 pu:1' env=HWLOC_COMPONENTS_VERBOSE=1 args=count-loads needs=/usr/lib/x86_64-linux-gnu/libhwloc.so.15
// cluster: ranks=16 env='MARSHAL_TOPOLOGY=nodes:8,8 package:2 core:4 pu:1' env=MARSHAL_CART_LEVELS=node env=HWLOC_COMPONENTS_VERBOSE=1 needs=/usr/lib/x86_64-linux-gnu/libhwloc.so.15 args=nodes-only
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { on_node = 8, on_package = 4 };

/* Directed neighbour pairs of all processes between nodes, and between packages of one node. */
static void count_pairs(MPI_Comm grid, int world_rank, int pairs[2]) {
  int neighbours[4], mine[2] = {0, 0}, i;
  for (i = 0; i < 4; ++i) neighbours[i] = -1;
  MPI_Neighbor_allgather(&world_rank, 1, MPI_INT, neighbours, 1, MPI_INT, grid);
  for (i = 0; i < 4; ++i) {
    if (neighbours[i] < 0) continue;
    if (neighbours[i] / on_node != world_rank / on_node)
      ++mine[0];
    else if (neighbours[i] / on_package != world_rank / on_package)
      ++mine[1];
  }
  MPI_Allreduce(mine, pairs, 2, MPI_INT, MPI_SUM, grid);
}

/* Standard error goes to a file and back. */
static FILE* begin_listening(int* kept) {
  FILE* file = tmpfile();
  fflush(stderr);
  *kept = dup(STDERR_FILENO);
  dup2(fileno(file), STDERR_FILENO);
  return file;
}

/* How many made-up topologies this process has loaded meanwhile; no host loads one. */
static int loads_heard(FILE* file, int kept) {
  char line[1024];
  int loads = 0;
  fflush(stderr);
  dup2(kept, STDERR_FILENO);
  close(kept);
  rewind(file);
  while (fgets(line, sizeof line, file) != NULL) loads += strstr(line, "Enabling discovery component `synthetic'") != NULL;
  fclose(file);
  return loads;
}

int main(int argc, char** argv) {
  const int dims[] = {4, 4}, periods[] = {0, 0};
  int world_rank, grid_rank, given[2], mapped[2], kept, loads;
  MPI_Comm grid;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  count_pairs(grid, world_rank, given);
  MPI_Comm_free(&grid);
  FILE* const heard = begin_listening(&kept);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
  loads = loads_heard(heard, kept);
  MPI_Allreduce(MPI_IN_PLACE, &loads, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  count_pairs(grid, world_rank, mapped);
  MPI_Comm_rank(grid, &grid_rank);
  MPI_Comm_free(&grid);
  const int levels = argc < 2 || strcmp(argv[1], "nodes-only") != 0;
  const int good = loads == (levels ? 2 : 0) && given[0] == 8 && given[1] == 16 && mapped[0] == 8 && mapped[1] == (levels ? 8 : 16) && (world_rank != 0 || grid_rank == 0);
  if (!good)
    printf("rank %d: between nodes %d -> %d, between packages %d -> %d, rank in the grid %d, topologies loaded %d\n", world_rank, given[0],
           mapped[0], given[1], mapped[1], grid_rank, loads);
  MPI_Finalize();
  return !good;
}
