/* `marshal bench cart` runs this under Marshal: grids in the order that the program gets without reordering and in the order that Marshal
 * gives it, by turns in one job, so that a machine which slows down does so for both.
 *
 *   measure GRIDS BYTES MESHES ROUNDS       e.g. 4x8,4x4x2 65536,262144 1024 5
 *
 * A halo exchange sends BYTES to each neighbour of a grid without wrap-around. A sweep is one step of the 5-point stencil on a mesh of
 * MESH x MESH doubles, spread over a grid of two dimensions: the exchange of its borders, and the sum of the four neighbours of every point.
 * Both are also done within the nodes, in a grid with wrap-around of each node's own processes: what the processes do alone takes that long,
 * however little the network carries.
 * Rank 0 prints JSON objects, one a line: the nodes of the cells in both orders, then seconds (medians of ROUNDS, slowest process). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../median.h"

enum { most_dims = 8, most_numbers = 16, ways = 3 };

static const double least_batch = 0.05; /* seconds */

static int world_rank, rounds;

typedef struct {
  const char *name;
  int ndims, dims[most_dims];
  MPI_Comm given, mapped, within;
} Grid;

/* The processes around this one, two a dimension. */
typedef struct {
  MPI_Comm comm;
  int count, rank[2 * most_dims];
} Neighbours;

static Neighbours neighbours_in(MPI_Comm comm, int ndims) {
  Neighbours all = {comm, 2 * ndims, {0}};
  for (int d = 0; d < ndims; ++d) MPI_Cart_shift(comm, d, 1, &all.rank[2 * d], &all.rank[2 * d + 1]);
  return all;
}

typedef struct {
  char *outgoing, *incoming;
  int bytes;
} Halo;

static void exchange(const Neighbours *around, const void *halo_of) {
  const Halo *halo = halo_of;
  MPI_Request requests[4 * most_dims];
  for (int n = 0; n < around->count; ++n)
    MPI_Irecv(halo->incoming + (size_t)n * (size_t)halo->bytes, halo->bytes, MPI_BYTE, around->rank[n], 0, around->comm, &requests[n]);
  for (int n = 0; n < around->count; ++n)
    MPI_Isend(halo->outgoing + (size_t)n * (size_t)halo->bytes, halo->bytes, MPI_BYTE, around->rank[n], 0, around->comm,
              &requests[around->count + n]);
  MPI_Waitall(2 * around->count, requests, MPI_STATUSES_IGNORE);
}

/* This process's part of a mesh, rows x columns points with a border of one around them; before and after a step. */
typedef struct {
  double *now, *next;
  int rows, columns;
  MPI_Datatype column;
} Mesh;

static void compute(const Neighbours *around, const void *mesh_of) {
  const Mesh *mesh = mesh_of;
  const int width = mesh->columns + 2;
  (void)around;
  for (int i = 1; i <= mesh->rows; ++i) {
    const double *above = mesh->now + (size_t)(i - 1) * (size_t)width, *row = above + width, *below = row + width;
    double *next = mesh->next + (size_t)i * (size_t)width;
    for (int j = 1; j <= mesh->columns; ++j) next[j] = 0.25 * (above[j] + below[j] + row[j - 1] + row[j + 1]);
  }
}

static void sweep(const Neighbours *around, const void *mesh_of) {
  const Mesh *mesh = mesh_of;
  const int width = mesh->columns + 2;
  double *first = mesh->now + width + 1, *last = mesh->now + (size_t)mesh->rows * (size_t)width + 1;
  double *const outgoing[] = {first, last, first, first + mesh->columns - 1};
  double *const incoming[] = {first - width, last + width, first - 1, first + mesh->columns};
  MPI_Request requests[8];
  for (int n = 0; n < 4; ++n) {
    const MPI_Datatype type = n < 2 ? MPI_DOUBLE : mesh->column;
    const int count = n < 2 ? mesh->columns : 1;
    MPI_Irecv(incoming[n], count, type, around->rank[n], 1, around->comm, &requests[n]);
    MPI_Isend(outgoing[n], count, type, around->rank[n], 1, around->comm, &requests[4 + n]);
  }
  MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
  compute(around, mesh_of);
}

typedef void (*Step)(const Neighbours *, const void *);

/* Seconds of one step, the slowest process's. */
static double batch(Step step, const Neighbours *around, const void *data, int steps) {
  MPI_Barrier(MPI_COMM_WORLD);
  double time = MPI_Wtime(), slowest;
  for (int i = 0; i < steps; ++i) step(around, data);
  time = (MPI_Wtime() - time) / steps;
  MPI_Allreduce(&time, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

static void time_all(const Grid *grid, const char *what, int size, Step step, const void *data) {
  const Neighbours around[ways] = {neighbours_in(grid->given, grid->ndims), neighbours_in(grid->mapped, grid->ndims),
                                   neighbours_in(grid->within, grid->ndims)};
  const double once = batch(step, &around[1], data, 1); /* the same on all processes */
  const int steps = once * 100 < least_batch ? 100 : once > least_batch ? 1 : (int)(least_batch / once) + 1;
  double *seconds[ways];
  for (int way = 0; way < ways; ++way) seconds[way] = malloc(sizeof(double) * (size_t)rounds);
  for (int round = 0; round < rounds; ++round)
    for (int way = 0; way < ways; ++way) seconds[way][round] = batch(step, &around[way], data, steps);
  if (world_rank == 0) {
    printf("{\"grid\": \"%s\", \"what\": \"%s\", \"size\": %d, \"given\": %.9f, \"mapped\": %.9f, \"within\": %.9f}\n", grid->name, what,
           size, median(seconds[0], rounds), median(seconds[1], rounds), median(seconds[2], rounds));
    fflush(stdout);
  }
  for (int way = 0; way < ways; ++way) free(seconds[way]);
}

static void time_halo(const Grid *grid, int bytes) {
  const size_t all = (size_t)bytes * 2 * (size_t)grid->ndims;
  Halo halo = {calloc(all, 1), calloc(all, 1), bytes};
  time_all(grid, "halo", bytes, exchange, &halo);
  free(halo.outgoing);
  free(halo.incoming);
}

static void time_sweep(const Grid *grid, int points) {
  Mesh mesh = {NULL, NULL, points / grid->dims[0], points / grid->dims[1], MPI_DATATYPE_NULL};
  const size_t all = (size_t)(mesh.rows + 2) * (size_t)(mesh.columns + 2);
  mesh.now = calloc(all, sizeof(double));
  mesh.next = calloc(all, sizeof(double));
  MPI_Type_vector(mesh.rows, 1, mesh.columns + 2, MPI_DOUBLE, &mesh.column);
  MPI_Type_commit(&mesh.column);
  time_all(grid, "sweep", points, sweep, &mesh);
  MPI_Type_free(&mesh.column);
  free(mesh.now);
  free(mesh.next);
}

/* The node of every cell, named by its lowest rank. */
static void print_nodes(const Grid *grid, const char *order, MPI_Comm comm, int own_node) {
  int size;
  MPI_Comm_size(comm, &size);
  int *nodes = malloc(sizeof(int) * (size_t)size);
  MPI_Allgather(&own_node, 1, MPI_INT, nodes, 1, MPI_INT, comm);
  if (world_rank == 0) {
    printf("{\"grid\": \"%s\", \"order\": \"%s\", \"nodes\": [", grid->name, order);
    for (int cell = 0; cell < size; ++cell) printf("%s%d", cell == 0 ? "" : ", ", nodes[cell]);
    printf("]}\n");
  }
  free(nodes);
}

/* A grid of this node's processes, in which every process has as many neighbours as the inner ones of a grid of all. */
static MPI_Comm grid_within(MPI_Comm node, int ndims) {
  int size, dims[most_dims] = {0}, periods[most_dims];
  MPI_Comm grid;
  for (int d = 0; d < ndims; ++d) periods[d] = 1;
  MPI_Comm_size(node, &size);
  MPI_Dims_create(size, ndims, dims);
  MPI_Cart_create(node, ndims, dims, periods, 0, &grid);
  return grid;
}

static int numbers_in(const char *text, char separator, int *numbers, int most) {
  int count = 0;
  for (char *end; count < most; text = end + 1) {
    numbers[count++] = (int)strtol(text, &end, 10);
    if (*end != separator) break;
  }
  return count;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  if (argc != 5) {
    if (world_rank == 0) fprintf(stderr, "usage: %s GRIDS BYTES MESHES ROUNDS\n", argv[0]);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  int bytes[most_numbers], points[most_numbers];
  const int sizes = numbers_in(argv[2], ',', bytes, most_numbers), meshes = numbers_in(argv[3], ',', points, most_numbers);
  rounds = atoi(argv[4]);
  const int periods[most_dims] = {0};
  int leader = world_rank;
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, world_rank, MPI_INFO_NULL, &node);
  MPI_Bcast(&leader, 1, MPI_INT, 0, node);
  for (char *name = strtok(argv[1], ","); name != NULL; name = strtok(NULL, ",")) {
    Grid grid = {.name = name};
    grid.ndims = numbers_in(name, 'x', grid.dims, most_dims);
    MPI_Cart_create(MPI_COMM_WORLD, grid.ndims, grid.dims, periods, 0, &grid.given);
    MPI_Cart_create(MPI_COMM_WORLD, grid.ndims, grid.dims, periods, 1, &grid.mapped);
    grid.within = grid_within(node, grid.ndims);
    print_nodes(&grid, "given", grid.given, leader);
    print_nodes(&grid, "mapped", grid.mapped, leader);
    for (int i = 0; i < sizes; ++i) time_halo(&grid, bytes[i]);
    for (int i = 0; i < meshes && grid.ndims == 2; ++i) time_sweep(&grid, points[i]);
    MPI_Comm_free(&grid.given);
    MPI_Comm_free(&grid.mapped);
    MPI_Comm_free(&grid.within);
  }
  MPI_Comm_free(&node);
  MPI_Finalize();
  return 0;
}
