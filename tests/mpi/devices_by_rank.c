// A program that chooses its GPU by its rank modulo 4 in a grid or a graph. Where a process could open a GPU, Marshal moves nobody unless it is told
// to: no two processes of a node have one device.
//
// Arguments: on which processes there are device files, which the program makes up: none, one (the last) or all; whether the processes of the grid,
// and those of the graph, stay or move.
// cluster: nodes=2 ranks=8 args=none,move,move
// cluster: nodes=2 ranks=8 args=all,stay,stay
// cluster: nodes=2 ranks=8 args=one,stay,stay
// cluster: nodes=2 ranks=8 args=all,move,stay env=MARSHAL_CART=best,graphs:off
// cluster: nodes=2 ranks=8 args=all,stay,move env=MARSHAL_CART=off,graphs:best
// cluster: nodes=2 ranks=8 args=one,move,move env=MARSHAL_CART_MOVE=ranks
// cluster: nodes=2 ranks=8 args=none,stay,stay env=MARSHAL_MODE=safe
// cluster: nodes=2 ranks=8 args=none,stay,stay env=MARSHAL_MODE=observe
// cluster: nodes=2 ranks=8 args=none,move,stay env=MARSHAL_MODE=safe env=MARSHAL_CART=best,graphs:report
// cluster: nodes=2 ranks=8 args=none,move,stay env=MARSHAL_GRAPH=off
// cluster: nodes=2 ranks=8 args=one,stay,stay env=MARSHAL_GRAPH=off
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEVICES 4
#define RANKS 8

static char folder[] = "/tmp/marshal-devices-XXXXXX", device_file[64];

static void make_devices(const char* where) {
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  if (rank == NULL) rank = getenv("PMI_RANK");
  if (mkdtemp(folder) == NULL) exit(1);
  snprintf(device_file, sizeof device_file, "%s/nvidia0", folder);
  if (!strcmp(where, "all") || (!strcmp(where, "one") && rank != NULL && atoi(rank) == RANKS - 1))
    close(open(device_file, O_CREAT | O_RDWR, 0600));
  setenv("MARSHAL_DEVICES", folder, 1);
}

// Which rank of the world each rank of `made` is. Returns how many pairs of processes of one node share a device.
static int shared_devices(MPI_Comm made, int world_rank, int* moved) {
  int rank, node[RANKS], world[RANKS], shared = 0;
  MPI_Comm_rank(made, &rank);
  const int mine = world_rank / DEVICES;  // nodes have four consecutive ranks of the world
  MPI_Allgather(&mine, 1, MPI_INT, node, 1, MPI_INT, made);
  MPI_Allgather(&world_rank, 1, MPI_INT, world, 1, MPI_INT, made);
  *moved = 0;
  for (int a = 0; a < RANKS; a++) {
    if (world[a] != a) *moved = 1;
    for (int b = 0; b < a; b++)
      if (node[a] == node[b] && a % DEVICES == b % DEVICES) shared++;
  }
  return shared;
}

static int check(const char* what, MPI_Comm made, int world_rank, const char* expected) {
  int moved = 0;
  const int shared = shared_devices(made, world_rank, &moved);
  const int right = !strcmp(expected, "stay") ? !moved && shared == 0 : moved && shared != 0;
  if (!right && world_rank == 0)
    printf("the processes of the %s should %s: they %s, and %d pairs share a device\n", what, expected, moved ? "moved" : "stayed", shared);
  return right;
}

int main(int argc, char** argv) {
  if (argc < 4) return 1;
  make_devices(argv[1]);
  MPI_Init(&argc, &argv);
  int world_rank, right = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  const int dims[] = {2, 4}, periods[] = {0, 0};

  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
  right &= check("grid", grid, world_rank, argv[2]);
  MPI_Comm_free(&grid);
  // Without permission ranks stay.
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  right &= check("grid without permission", grid, world_rank, "stay");
  int newrank = -1;
  MPI_Cart_map(MPI_COMM_WORLD, 2, dims, periods, &newrank);
  if (!strcmp(argv[2], "stay") && newrank != world_rank) {
    printf("MPI_Cart_map gives rank %d another one\n", world_rank);
    right = 0;
  }
  MPI_Comm_free(&grid);

  // The same neighbours as a graph.
  int neighbours[4], count = 0;
  const int x = world_rank % 4, y = world_rank / 4;
  if (x > 0) neighbours[count++] = world_rank - 1;
  if (x < 3) neighbours[count++] = world_rank + 1;
  neighbours[count++] = (1 - y) * 4 + x;
  MPI_Comm graph;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, count, neighbours, MPI_UNWEIGHTED, count, neighbours, MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &graph);
  right &= check("graph", graph, world_rank, argv[3]);
  MPI_Comm_free(&graph);

  int all = 0;
  MPI_Allreduce(&right, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Finalize();
  unlink(device_file);
  rmdir(folder);
  return all ? 0 : 1;
}
