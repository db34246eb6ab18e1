// Grids and graphs that are made from a reordered grid keep the ranks of what they are made from: the grid, its duplicates, parts and groups. So a
// program that takes ranks of the grid for ranks there runs as on the bare host. Argument: moves, where a setting lets them move all the same.
// cluster: nodes=2 ranks=8 cyclic=yes
// cluster: nodes=4 ranks=16 cyclic=yes
// cluster: nodes=2 ranks=8 cyclic=yes env=MARSHAL_CART_MOVE=ranks args=moves
#include <mpi.h>
#include <stdio.h>

static int failures, may_move;

// How many processes have another rank in `made` than in `from`.
static int moved(MPI_Comm from, MPI_Comm made) {
  int before, after, other, all;
  MPI_Comm_rank(from, &before);
  MPI_Comm_rank(made, &after);
  other = before != after;
  MPI_Allreduce(&other, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

static void check(const char *what, const char *made_on, MPI_Comm from, MPI_Comm made) {
  const int others = moved(from, made);
  if ((others != 0) == may_move) return;
  ++failures;
  printf("%s made on the %s: %d processes have another rank\n", what, made_on, others);
}

// A row and a graph of pairs that are far apart: neither is good in the order of a grid of two rows.
static void make_on(const char *what, MPI_Comm from) {
  const int periods[2] = {0, 0};
  int size, rank;
  MPI_Comm made;
  MPI_Comm_size(from, &size);
  MPI_Comm_rank(from, &rank);
  const int dims[2] = {size, 1};
  MPI_Cart_create(from, 2, dims, periods, 1, &made);
  check("grid", what, from, made);
  MPI_Comm_free(&made);
  const int partner = rank ^ 2;
  MPI_Dist_graph_create_adjacent(from, 1, &partner, MPI_UNWEIGHTED, 1, &partner, MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &made);
  check("graph", what, from, made);
  MPI_Comm_free(&made);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  may_move = argc > 1;
  int size, rank;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int dims[2] = {2, size / 2}, periods[2] = {1, 1}, remain[2] = {0, 1};
  MPI_Comm grid, made, next;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
  MPI_Comm_rank(grid, &rank);
  if (moved(MPI_COMM_WORLD, grid) == 0) {
    ++failures;
    printf("the first grid did not move\n");
  }
  make_on("grid", grid);
  if (may_move) goto end;

  MPI_Comm_dup(grid, &made);
  make_on("duplicate", made);
  MPI_Comm_dup(made, &next);
  make_on("duplicate of the duplicate", next);
  MPI_Comm_free(&next);
  MPI_Comm_free(&made);
  MPI_Request request;
  MPI_Comm_idup(grid, &made, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  make_on("nonblocking duplicate", made);
  MPI_Comm_free(&made);
  PMPI_Comm_dup(grid, &made);
  MPI_Comm_dup(made, &next);
  make_on("duplicate of an unseen duplicate", next);
  MPI_Comm_free(&next);
  PMPI_Comm_free(&made);

  MPI_Comm_split(grid, 0, rank, &made);
  make_on("split", made);
  MPI_Comm_free(&made);
  MPI_Cart_sub(grid, remain, &made);
  make_on("sub-grid", made);
  MPI_Comm_free(&made);
  MPI_Group group;
  MPI_Comm_group(grid, &group);
  MPI_Comm_create(grid, group, &made);
  make_on("members of a group", made);
  MPI_Comm_free(&made);
  MPI_Comm_create_group(grid, group, 1, &made);
  make_on("members that a group made alone", made);
  MPI_Comm_free(&made);
  MPI_Group_free(&group);

  MPI_Comm half, both;
  const int high = rank >= size / 2;
  MPI_Comm_split(grid, high, rank, &half);
  MPI_Intercomm_create(half, 0, grid, high ? 0 : size / 2, 2, &both);
  MPI_Intercomm_merge(both, high, &made);
  make_on("merged halves", made);
  MPI_Comm_free(&made);
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);

  // One half comes from the moved grid, the other from the world: all decide alike.
  MPI_Comm of_grid, of_world;
  MPI_Comm_split(grid, high, rank, &of_grid);
  MPI_Comm_split(MPI_COMM_WORLD, high, 0, &of_world);
  half = high ? of_grid : of_world;
  int in_world, in_half, leads[2] = {0, 0}, leader[2];
  MPI_Comm_rank(MPI_COMM_WORLD, &in_world);
  MPI_Comm_rank(half, &in_half);
  if (in_half == 0) leads[high] = in_world;
  MPI_Allreduce(leads, leader, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, leader[!high], 3, &both);
  MPI_Intercomm_merge(both, high, &made);
  make_on("halves of which one moved", made);
  MPI_Comm_free(&made);
  MPI_Comm_free(&both);
  MPI_Comm_free(&of_world);
  MPI_Comm_free(&of_grid);

end:
  MPI_Comm_free(&grid);
  MPI_Finalize();
  return failures != 0;
}
