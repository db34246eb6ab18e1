/* Grids whose ranks stay and whose coordinates move (MARSHAL_CART_MOVE): every rank is the parent's, and all that MPI
   says of the grid is said in terms of the same coordinates. */
// cluster: nodes=3 ranks=12 env=MARSHAL_CART_MOVE=coordinates env=MARSHAL_SELF_CHECK=on
// cluster: nodes=4 ranks=12 cyclic=yes env=MARSHAL_CART_MOVE=coordinates sanitizer=no
// cluster: sizes=5,3,4 env=MARSHAL_CART_FORCE=on args=forced
// cluster: ranks=12 report=any env=MARSHAL_TOPOLOGY=nodes:7,5 env=MARSHAL_CART_MOVE=coordinates sanitizer=no
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What MPI 4 brought, whatever mpi.h says: Open MPI 5 calls itself MPI 3.1 and has most of it. Marshal has the MPI_
   names of all, so only the PMPI_ ones tell what the host has. Open MPI 4.1 has the persistent ones as MPIX_. */
#define FROM_MPI_4(name, parameters)               \
  __attribute__((weak)) int MPI_##name parameters; \
  __attribute__((weak)) int PMPI_##name parameters
#define PERSISTENT(name, parameters)                \
  FROM_MPI_4(name, parameters);                     \
  __attribute__((weak)) int MPIX_##name parameters; \
  __attribute__((weak)) int PMPIX_##name parameters
#define INIT (const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request*)
PERSISTENT(Neighbor_allgather_init, INIT);
PERSISTENT(Neighbor_alltoall_init, INIT);
PERSISTENT(Neighbor_allgatherv_init, (const void*, int, MPI_Datatype, void*, const int[], const int[], MPI_Datatype,
                                      MPI_Comm, MPI_Info, MPI_Request*));
PERSISTENT(Neighbor_alltoallv_init, (const void*, const int[], const int[], MPI_Datatype, void*, const int[],
                                     const int[], MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request*));
PERSISTENT(Neighbor_alltoallw_init,
           (const void*, const int[], const MPI_Aint[], const MPI_Datatype[], void*, const int[], const MPI_Aint[],
            const MPI_Datatype[], MPI_Comm, MPI_Info, MPI_Request*));
FROM_MPI_4(Neighbor_alltoall_c, (const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, MPI_Comm));

static int world_rank, world_size, failures, any_moved;

static void check(int good, const char* what, int line) {
  if (good) return;
  ++failures;
  printf("rank %d: line %d: %s\n", world_rank, line, what);
}
#define CHECK(condition) check((condition) != 0, #condition, __LINE__)

enum { most_dims = 4, most_neighbours = 2 * most_dims };

/* By coordinates alone, what MPI_Cart_shift must say. */
static int rank_at(MPI_Comm grid, int ndims, const int* dims, const int* periods, const int* from, int dim, int step) {
  int at[most_dims], rank;
  memcpy(at, from, sizeof(int) * (size_t)ndims);
  at[dim] += step;
  if ((at[dim] < 0 || at[dim] >= dims[dim]) && !periods[dim]) return MPI_PROC_NULL;
  at[dim] = (at[dim] % dims[dim] + dims[dim]) % dims[dim];
  CHECK(MPI_Cart_rank(grid, at, &rank) == MPI_SUCCESS);
  return rank;
}

/* Whoever is at the other end of each edge, asked by a neighbourhood collective: -1 where there is nobody. */
static void check_collectives(MPI_Comm grid, int ndims, const int* neighbours) {
  int n = 2 * ndims, rank, i, got[most_neighbours], mine[most_neighbours], expected[most_neighbours];
  int ones[most_neighbours], places[most_neighbours];
  MPI_Aint bytes[most_neighbours];
  MPI_Datatype ints[most_neighbours];
  MPI_Request request;
  MPI_Comm_rank(grid, &rank);
  for (i = 0; i < n; ++i) {
    mine[i] = rank;
    ones[i] = 1;
    places[i] = i;
    bytes[i] = (MPI_Aint)(sizeof(int) * (size_t)i);
    ints[i] = MPI_INT;
    expected[i] = neighbours[i] == MPI_PROC_NULL ? -1 : neighbours[i];
  }
#define CLEAR() (memset(got, -1, sizeof got))
#define RIGHT() CHECK(memcmp(got, expected, sizeof(int) * (size_t)n) == 0)
#define WAITED(call)                                   \
  do {                                                 \
    CLEAR();                                           \
    CHECK((call) == MPI_SUCCESS);                      \
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == 0); \
    RIGHT();                                           \
  } while (0)
#define DONE(call)                \
  do {                            \
    CLEAR();                      \
    CHECK((call) == MPI_SUCCESS); \
    RIGHT();                      \
  } while (0)
  DONE(MPI_Neighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, grid));
  DONE(MPI_Neighbor_allgatherv(&rank, 1, MPI_INT, got, ones, places, MPI_INT, grid));
  DONE(MPI_Neighbor_alltoall(mine, 1, MPI_INT, got, 1, MPI_INT, grid));
  DONE(MPI_Neighbor_alltoallv(mine, ones, places, MPI_INT, got, ones, places, MPI_INT, grid));
  DONE(MPI_Neighbor_alltoallw(mine, ones, bytes, ints, got, ones, bytes, ints, grid));
  WAITED(MPI_Ineighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, grid, &request));
  WAITED(MPI_Ineighbor_allgatherv(&rank, 1, MPI_INT, got, ones, places, MPI_INT, grid, &request));
  WAITED(MPI_Ineighbor_alltoall(mine, 1, MPI_INT, got, 1, MPI_INT, grid, &request));
  WAITED(MPI_Ineighbor_alltoallv(mine, ones, places, MPI_INT, got, ones, places, MPI_INT, grid, &request));
  WAITED(MPI_Ineighbor_alltoallw(mine, ones, bytes, ints, got, ones, bytes, ints, grid, &request));
  if (PMPI_Neighbor_alltoall_c != NULL) DONE(MPI_Neighbor_alltoall_c(mine, 1, MPI_INT, got, 1, MPI_INT, grid));
#define STARTED_AS(call, ...)                                                                          \
  do {                                                                                                 \
    if (P##call == NULL) break;                                                                        \
    CLEAR();                                                                                           \
    CHECK(call(__VA_ARGS__, grid, MPI_INFO_NULL, &request) == MPI_SUCCESS);                            \
    CHECK(MPI_Start(&request) == MPI_SUCCESS && MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS); \
    MPI_Request_free(&request);                                                                        \
    RIGHT();                                                                                           \
  } while (0)
#define STARTED(name, ...)                \
  do {                                    \
    STARTED_AS(MPI_##name, __VA_ARGS__);  \
    STARTED_AS(MPIX_##name, __VA_ARGS__); \
  } while (0)
  STARTED(Neighbor_allgather_init, &rank, 1, MPI_INT, got, 1, MPI_INT);
  STARTED(Neighbor_allgatherv_init, &rank, 1, MPI_INT, got, ones, places, MPI_INT);
  STARTED(Neighbor_alltoall_init, mine, 1, MPI_INT, got, 1, MPI_INT);
  STARTED(Neighbor_alltoallv_init, mine, ones, places, MPI_INT, got, ones, places, MPI_INT);
  STARTED(Neighbor_alltoallw_init, mine, ones, bytes, ints, got, ones, bytes, ints);
}

static int class_of_wrong_rank(MPI_Comm grid) {
  int size, coords[most_dims], class;
  MPI_Comm_size(grid, &size);
  MPI_Comm_set_errhandler(grid, MPI_ERRORS_RETURN);
  MPI_Error_class(MPI_Cart_coords(grid, size + 1, most_dims, coords), &class);
  return class;
}

static int class_of_wrong_dim(MPI_Comm grid) {
  int source, destination, class;
  MPI_Comm_set_errhandler(grid, MPI_ERRORS_RETURN);
  MPI_Error_class(MPI_Cart_shift(grid, -1, 1, &source, &destination), &class);
  return class;
}

static void check_grid(MPI_Comm parent, MPI_Comm grid, int ndims, const int* dims, const int* periods) {
  int size, rank, parent_rank, status, d, r, cell, coords[most_dims], got_dims[most_dims], got_periods[most_dims],
      got_coords[most_dims], neighbours[most_neighbours];
  MPI_Comm_size(grid, &size);
  MPI_Comm_rank(grid, &rank);
  MPI_Comm_rank(parent, &parent_rank);
  CHECK(rank == parent_rank);
  MPI_Topo_test(grid, &status);
  CHECK(status == MPI_CART);

  /* Every rank is at one place of its own, and the place tells the rank. */
  int* taken = calloc((size_t)size, sizeof(int));
  for (r = 0; r < size; ++r) {
    CHECK(MPI_Cart_coords(grid, r, ndims, coords) == MPI_SUCCESS);
    for (cell = d = 0; d < ndims; ++d) {
      CHECK(coords[d] >= 0 && coords[d] < dims[d]);
      cell = cell * dims[d] + coords[d];
    }
    CHECK(taken[cell]++ == 0);
    any_moved |= cell != r;
    int back = -1;
    CHECK(MPI_Cart_rank(grid, coords, &back) == MPI_SUCCESS && back == r);
  }
  free(taken);

  CHECK(MPI_Cart_get(grid, ndims, got_dims, got_periods, got_coords) == MPI_SUCCESS);
  MPI_Cart_coords(grid, rank, ndims, coords);
  CHECK(memcmp(got_dims, dims, sizeof(int) * (size_t)ndims) == 0);
  CHECK(memcmp(got_coords, coords, sizeof(int) * (size_t)ndims) == 0);
  for (d = 0; d < ndims; ++d) CHECK(!got_periods[d] == !periods[d]);

  for (d = 0; d < ndims; ++d) {
    int step, source, destination;
    for (step = -2; step <= 2; ++step) {
      CHECK(MPI_Cart_shift(grid, d, step, &source, &destination) == MPI_SUCCESS);
      CHECK(source == rank_at(grid, ndims, dims, periods, coords, d, -step));
      CHECK(destination == rank_at(grid, ndims, dims, periods, coords, d, step));
    }
    MPI_Cart_shift(grid, d, 1, &neighbours[2 * d], &neighbours[2 * d + 1]);
  }
  check_collectives(grid, ndims, neighbours);

  /* A part of the grid has the coordinates that remain. */
  for (d = 0; d < ndims; ++d) {
    int remain[most_dims] = {0}, part_coords[1], part_dims[1], part_periods[1];
    MPI_Comm part;
    remain[d] = 1;
    CHECK(MPI_Cart_sub(grid, remain, &part) == MPI_SUCCESS);
    CHECK(MPI_Cart_get(part, 1, part_dims, part_periods, part_coords) == MPI_SUCCESS);
    CHECK(part_dims[0] == dims[d] && part_coords[0] == coords[d]);
    int all[64];
    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, part);
    for (r = 0; r < dims[d]; ++r) {
      int at[most_dims], there;
      memcpy(at, coords, sizeof at);
      at[d] = r;
      MPI_Cart_rank(grid, at, &there);
      CHECK(all[r] == there);
    }
    MPI_Comm_free(&part);
  }

  /* What is wrong is as wrong as on a grid that nobody can move. */
  const int alone[] = {1}, wraps[] = {1};
  MPI_Comm self;
  MPI_Cart_create(MPI_COMM_SELF, 1, alone, wraps, 0, &self);
  CHECK(class_of_wrong_rank(grid) == class_of_wrong_rank(self));
  CHECK(class_of_wrong_dim(grid) == class_of_wrong_dim(self));
  MPI_Comm_free(&self);
}

static void check_all(MPI_Comm parent, int reorder, int ndims, const int* dims, const int* periods) {
  MPI_Comm grid, copy, later, with_info;
  MPI_Request request;
  CHECK(MPI_Cart_create(parent, ndims, dims, periods, reorder, &grid) == MPI_SUCCESS);
  if (grid != MPI_COMM_NULL) {
    check_grid(parent, grid, ndims, dims, periods);
    CHECK(MPI_Comm_dup(grid, &copy) == MPI_SUCCESS);
    CHECK(MPI_Comm_idup(copy, &later, &request) == MPI_SUCCESS);
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(MPI_Comm_dup_with_info(later, MPI_INFO_NULL, &with_info) == MPI_SUCCESS);
    MPI_Comm_free(&grid);
    check_grid(parent, copy, ndims, dims, periods);
    check_grid(parent, later, ndims, dims, periods);
    check_grid(parent, with_info, ndims, dims, periods);
    MPI_Comm_free(&later);
    /* One that nobody asked anything before it is freed. */
    CHECK(MPI_Comm_idup(copy, &later, &request) == MPI_SUCCESS);
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    MPI_Comm_free(&later);
    MPI_Comm_free(&copy);
    MPI_Comm_disconnect(&with_info);
  }
  MPI_Barrier(parent);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  int reorder = argc < 2; /* "forced": the program does not allow what is done */
  const int two[] = {4, 3}, three[] = {3, 2, 2}, four[] = {2, 1, 3, 2}, ten[] = {2, 5};
  const int all[] = {1, 1, 1, 1}, none[] = {0, 0, 0, 0}, some[] = {0, 1, 0, 1};
  MPI_Comm backwards;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &backwards);
  check_all(MPI_COMM_WORLD, reorder, 2, two, all);
  check_all(MPI_COMM_WORLD, reorder, 2, two, none);
  check_all(MPI_COMM_WORLD, reorder, 3, three, some);
  check_all(MPI_COMM_WORLD, reorder, 4, four, all);
  check_all(MPI_COMM_WORLD, reorder, 2, ten, all); /* some processes are spare: the last ones */
  check_all(backwards, reorder, 3, three, all);
  MPI_Comm_free(&backwards);
  int sum = 0, moved = 0;
  MPI_Allreduce(&failures, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&any_moved, &moved, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (world_rank == 0 && !moved) printf("no grid was moved: nothing was tested\n");
  MPI_Finalize();
  return sum != 0 || !moved;
}
