/* Grids of every kind on 12 processes: whoever gets which cell, the grid must work as the standard says, all processes must agree, and
   a grid that may be reordered must not have more off-node neighbours than one that may not. */
// cluster: nodes=3 ranks=12
// cluster: nodes=3 ranks=12 cyclic=yes env=MARSHAL_RANKMAP=off sanitizer=no
// cluster: sizes=5,3,4 sanitizer=no
// cluster: nodes=3 ranks=12 env=MARSHAL_CART_MOVE=always
// cluster: nodes=3 ranks=12 env=MARSHAL_CART=report sanitizer=no
// cluster: nodes=3 ranks=12 env=MARSHAL_CART=hyperplane sanitizer=no
// cluster: ranks=12 env=MARSHAL_TOPOLOGY=nodes:7,5 env=MARSHAL_SELF_CHECK=on
// cluster: nodes=3 ranks=12 env=MARSHAL_CART_STENCIL=box env=MARSHAL_CART_WEIGHTS=3,1 sanitizer=no
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/mpi/node_leaders.h"

static int world_rank, world_size, failures;

static void check(int good, const char* what, int line) {
  if (good) return;
  ++failures;
  printf("rank %d: line %d: %s\n", world_rank, line, what);
}
#define CHECK(condition) check((condition) != 0, #condition, __LINE__)

static int* node_of; /* of each world rank */

static void find_nodes(void) {
  int leader = node_leader();
  node_of = malloc(sizeof(int) * (size_t)world_size);
  const char* topology = getenv("MARSHAL_TOPOLOGY"); /* nodes:A,B */
  if (topology != NULL) leader = world_rank < atoi(strchr(topology, ':') + 1) ? 0 : 1;
  MPI_Allgather(&leader, 1, MPI_INT, node_of, 1, MPI_INT, MPI_COMM_WORLD);
}

/* The directed neighbour pairs on different nodes; 0 without a cell. */
static int off_node_pairs(MPI_Comm parent, int ndims, const int* dims, int periodic, int reorder, const char* name) {
  int periods[8], size, parent_rank, cells = 1, d;
  for (d = 0; d < ndims; ++d) {
    periods[d] = periodic;
    cells *= dims[d];
  }
  MPI_Comm_size(parent, &size);
  MPI_Comm_rank(parent, &parent_rank);
  int mapped = -2;
  MPI_Cart_map(parent, ndims, dims, periods, &mapped);
  MPI_Comm grid;
  CHECK(MPI_Cart_create(parent, ndims, dims, periods, reorder, &grid) == MPI_SUCCESS);
  if (grid == MPI_COMM_NULL) {
    MPI_Barrier(parent);
    return 0;
  }
  int rank, grid_size, status, back, coords[8], got_dims[8], got_periods[8], got_coords[8];
  MPI_Comm_rank(grid, &rank);
  MPI_Comm_size(grid, &grid_size);
  CHECK(grid_size == cells);
  if (reorder && mapped >= 0) CHECK(mapped == rank);
  if (!reorder && getenv("MARSHAL_CART_MOVE") == NULL) CHECK(rank == parent_rank);
  MPI_Topo_test(grid, &status);
  CHECK(status == MPI_CART);
  MPI_Cart_get(grid, ndims, got_dims, got_periods, got_coords);
  MPI_Cart_coords(grid, rank, ndims, coords);
  for (d = 0; d < ndims; ++d)
    CHECK(got_dims[d] == dims[d] && !got_periods[d] == !periodic && got_coords[d] == coords[d]);
  MPI_Cart_rank(grid, coords, &back);
  CHECK(back == rank);

  /* Row-major coordinates, each process once. */
  int expected = 0;
  for (d = 0; d < ndims; ++d) expected = expected * dims[d] + coords[d];
  CHECK(expected == rank);
  int* world_of = malloc(sizeof(int) * (size_t)cells);
  MPI_Allgather(&world_rank, 1, MPI_INT, world_of, 1, MPI_INT, grid);
  int sum = 0, i, j;
  for (i = 0; i < cells; ++i)
    for (j = 0; j < i; ++j) CHECK(world_of[i] != world_of[j]);
  CHECK(world_of[rank] == world_rank);

  /* Shifts and the neighbourhood collective meet the same neighbours. */
  int neighbours[16], wanted[16], off_node = 0;
  MPI_Neighbor_allgather(&world_rank, 1, MPI_INT, neighbours, 1, MPI_INT, grid);
  for (d = 0; d < ndims; ++d) {
    MPI_Cart_shift(grid, d, 1, &wanted[2 * d], &wanted[2 * d + 1]);
    for (i = 2 * d; i < 2 * d + 2; ++i) {
      if (wanted[i] == MPI_PROC_NULL) continue;
      CHECK(neighbours[i] == world_of[wanted[i]]);
      off_node += node_of[neighbours[i]] != node_of[world_rank];
    }
    int from = -1;
    MPI_Sendrecv(&rank, 1, MPI_INT, wanted[2 * d + 1], 7, &from, 1, MPI_INT, wanted[2 * d], 7, grid, MPI_STATUS_IGNORE);
    if (wanted[2 * d] != MPI_PROC_NULL) CHECK(from == wanted[2 * d]);
  }

  /* Lines of the grid, and a duplicate, keep their processes. */
  if (ndims > 0) {
    int remain[8] = {1};
    MPI_Comm line, copy;
    MPI_Cart_sub(grid, remain, &line);
    int line_size, line_rank;
    MPI_Comm_size(line, &line_size);
    MPI_Comm_rank(line, &line_rank);
    CHECK(line_size == dims[0] && line_rank == coords[0]);
    MPI_Allreduce(&coords[0], &sum, 1, MPI_INT, MPI_SUM, line);
    CHECK(sum == dims[0] * (dims[0] - 1) / 2);
    MPI_Comm_dup(grid, &copy);
    MPI_Comm_compare(grid, copy, &status);
    CHECK(status == MPI_CONGRUENT);
    MPI_Group whole, part;
    MPI_Comm_group(grid, &whole);
    MPI_Comm_group(copy, &part);
    MPI_Group_compare(whole, part, &status);
    CHECK(status == MPI_IDENT);
    int* ranks = malloc(sizeof(int) * (size_t)cells);
    int* translated = malloc(sizeof(int) * (size_t)cells);
    MPI_Group world;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (i = 0; i < cells; ++i) ranks[i] = i;
    MPI_Group_translate_ranks(whole, cells, ranks, world, translated);
    for (i = 0; i < cells; ++i) CHECK(translated[i] == world_of[i]);
    free(ranks);
    free(translated);
    MPI_Group_free(&world);
    MPI_Group_free(&whole);
    MPI_Group_free(&part);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&line);
  }
  int all_off = 0;
  MPI_Allreduce(&off_node, &all_off, 1, MPI_INT, MPI_SUM, grid);
  if (rank == 0) printf("%s, reorder %d: %d off-node, first is world rank %d\n", name, reorder, all_off, world_of[0]);
  fflush(stdout);
  free(world_of);
  MPI_Comm_free(&grid);
  MPI_Barrier(parent);
  return all_off;
}

static void try_grid(MPI_Comm parent, int ndims, const int* dims, int periodic, int reorder, const char* name) {
  const int given = off_node_pairs(parent, ndims, dims, periodic, 0, name);
  const int ordered = off_node_pairs(parent, ndims, dims, periodic, reorder, name);
  int both[2] = {given, ordered}, most[2];
  MPI_Allreduce(both, most, 2, MPI_INT, MPI_MAX, parent);
  CHECK(most[1] <= most[0]);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  find_nodes();
  const int plane[] = {4, 3}, column[] = {2, 6}, cube[] = {2, 3, 2}, line[] = {12}, four[] = {2, 2, 3, 1}, small[] = {3, 3}, tiny[] = {1, 1},
            six[] = {2, 3}, tall[] = {6, 2}, five[] = {2, 1, 3, 1, 2}, eight[] = {1, 2, 1, 3, 1, 1, 2, 1};
  try_grid(MPI_COMM_WORLD, 2, plane, 0, 1, "4x3");
  try_grid(MPI_COMM_WORLD, 2, plane, 1, 1, "4x3 periodic");
  try_grid(MPI_COMM_WORLD, 2, plane, 0, 0, "4x3 as given");
  try_grid(MPI_COMM_WORLD, 2, column, 0, 1, "2x6");
  try_grid(MPI_COMM_WORLD, 2, tall, 0, 17, "6x2");
  try_grid(MPI_COMM_WORLD, 3, cube, 0, 1, "2x3x2");
  try_grid(MPI_COMM_WORLD, 4, four, 1, 1, "2x2x3x1 periodic");
  try_grid(MPI_COMM_WORLD, 5, five, 0, 1, "2x1x3x1x2");
  try_grid(MPI_COMM_WORLD, 8, eight, 1, 1, "1x2x1x3x1x1x2x1 periodic");
  try_grid(MPI_COMM_WORLD, 0, line, 0, 1, "no dimension");
  try_grid(MPI_COMM_WORLD, 1, line, 0, 1, "12");
  try_grid(MPI_COMM_WORLD, 2, small, 0, 1, "3x3 of 12");
  try_grid(MPI_COMM_WORLD, 2, tiny, 0, 1, "1x1 of 12");
  for (int again = 0; again < 3; ++again) try_grid(MPI_COMM_WORLD, 2, plane, 0, 1, "4x3 again");

  /* Communicators other than the world: backwards, halves, and one that was itself reordered. */
  MPI_Comm backwards, half, grid, nested;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &backwards);
  try_grid(backwards, 2, plane, 0, 1, "4x3 backwards");
  MPI_Comm_free(&backwards);
  MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, world_rank, &half);
  try_grid(half, 2, six, 0, 1, "2x3 of every second");
  MPI_Comm_free(&half);
  const int periods[] = {0, 0};
  MPI_Cart_create(MPI_COMM_WORLD, 2, plane, periods, 1, &grid);
  try_grid(grid, 2, column, 0, 1, "2x6 on a grid");
  MPI_Cart_create(grid, 2, tall, periods, 1, &nested);
  MPI_Comm_free(&grid);
  int size = 0;
  MPI_Comm_size(nested, &size);
  CHECK(size == 12);
  MPI_Comm_free(&nested);
  try_grid(MPI_COMM_SELF, 2, tiny, 1, 1, world_rank == 0 ? "1x1 alone" : "1x1 of another");

  /* Errors are the host's own. */
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int too_many[] = {5, 5}, negative[] = {-1, 4};
  int error_class = 0, code = MPI_Cart_create(MPI_COMM_WORLD, 2, too_many, periods, 1, &grid);
  CHECK(code != MPI_SUCCESS);
  MPI_Error_class(code, &error_class);
  if (world_rank == 0) printf("too many cells: class %d\n", error_class);
  code = MPI_Cart_create(MPI_COMM_WORLD, 2, negative, periods, 1, &grid); /* MPICH accepts this */
  MPI_Error_class(code, &error_class);
  if (world_rank == 0) printf("negative dimension: class %d\n", error_class);

  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (world_rank == 0) printf("%s\n", all == 0 ? "all good" : "FAILED");
  free(node_of);
  MPI_Finalize();
  return all != 0;
}
