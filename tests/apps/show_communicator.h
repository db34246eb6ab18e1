// For the programs of this folder: one line with everything that can be asked of a communicator, the same on every run
// and every MPI.
#ifndef SHOW_COMMUNICATOR_H
#define SHOW_COMMUNICATOR_H
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char* world_ranks(MPI_Group group, char* text, size_t room) {
  int size;
  MPI_Group world;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_size(group, &size);
  int* ranks = (int*)malloc(sizeof(int) * (size_t)(2 * size + 1));
  for (int i = 0; i < size; i++) ranks[i] = i;
  if (size > 0) MPI_Group_translate_ranks(group, size, ranks, world, ranks + size);
  size_t used = 0;
  text[0] = 0;
  for (int i = 0; i < size && used + 16 < room; i++) {
    const int rank = ranks[size + i];
    used += (size_t)snprintf(text + used, room - used, rank == MPI_UNDEFINED ? " -" : " %d", rank);
  }
  free(ranks);
  MPI_Group_free(&world);
  return text;
}

static void show(const char* name, MPI_Comm comm) {
  int me, world_me, size, inter, world_size;
  MPI_Comm_rank(MPI_COMM_WORLD, &world_me);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  if (comm == MPI_COMM_NULL) {
    printf("%-28s world rank %d is not in it\n", name, world_me);
    return;
  }
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &size);
  MPI_Comm_test_inter(comm, &inter);
  const size_t room = (size_t)(world_size + size) * 8 + 64;
  char *local = (char*)malloc(room), *remote = (char*)malloc(room);
  MPI_Group group;
  MPI_Comm_group(comm, &group);
  world_ranks(group, local, room);
  MPI_Group_free(&group);
  remote[0] = 0;
  int sum = world_me + 1, result;
  MPI_Allreduce(&sum, &result, 1, MPI_INT, MPI_SUM, comm);  // of the other side, on an intercommunicator
  if (inter) {
    MPI_Comm_remote_group(comm, &group);
    world_ranks(group, remote, room);
    MPI_Group_free(&group);
  }
  int topology;
  MPI_Topo_test(comm, &topology);
  printf("%-28s world rank %d is %d of %d:%s%s%s sum %d%s\n", name, world_me, me, size, local, inter ? " facing" : "",
         remote, result,
         topology == MPI_CART         ? " cart"
         : topology == MPI_GRAPH      ? " graph"
         : topology == MPI_DIST_GRAPH ? " dist_graph"
                                      : "");
  free(local);
  free(remote);
}
#endif
