/* Graph topologies that may be reordered: rank r has the edges that were specified for vertex r, whoever plays it, with their weights, and
   neighbourhood collectives deliver as a simulation says; random graphs, the same on all processes. No order has more weight between nodes
   than the one given. */
// cluster: nodes=3 ranks=12 cyclic=yes
// cluster: sizes=5,3,4
// cluster: nodes=3 ranks=12 cyclic=yes env=MARSHAL_RANKMAP=off env=MARSHAL_CART=report
// cluster: nodes=2 ranks=10 cyclic=yes env=MARSHAL_SELF_CHECK=on
// cluster: ranks=12 env=MARSHAL_TOPOLOGY=cyclic:3
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/mpi/node_leaders.h"

enum { most = 64 };
static int world_rank, world_size, failures, may_move;
static unsigned long long state;
static int weight[most][most]; /* of the edge from a vertex to another; 0: none */
static int node_of[most];      /* of each world rank */

static void check(int good, const char* what, int line) {
  if (good) return;
  ++failures;
  printf("rank %d: line %d: %s\n", world_rank, line, what);
}
#define CHECK(condition) check((condition) != 0, #condition, __LINE__)

static unsigned draw(void) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (unsigned)(state >> 33);
}

static void find_nodes(void) {
  int leader = node_leader();
  const char* topology = getenv("MARSHAL_TOPOLOGY"); /* cyclic:N */
  if (topology != NULL) leader = world_rank % atoi(strchr(topology, ':') + 1);
  MPI_Allgather(&leader, 1, MPI_INT, node_of, 1, MPI_INT, MPI_COMM_WORLD);
}

static void draw_graph(int vertices, unsigned percent) {
  memset(weight, 0, sizeof weight);
  for (int a = 0; a < vertices; ++a)
    for (int b = 0; b < vertices; ++b)
      if (draw() % 100 < percent) weight[a][b] = 1 + (int)(draw() % 9);
}

/* A ring of the same length, so that moving pays where ranks are dealt out. */
static void ring(int vertices) {
  memset(weight, 0, sizeof weight);
  for (int v = 0; v < vertices; ++v) {
    weight[v][(v + 1) % vertices] += 1;
    weight[v][(v + vertices - 1) % vertices] += 1;
  }
}

/* Whether anybody moved; that the weight between nodes did not grow. `weighted`: whether the weights were given. */
static int compare_with_given(MPI_Comm graph, int vertices, int weighted) {
  int player[most];
  MPI_Allgather(&world_rank, 1, MPI_INT, player, 1, MPI_INT, graph);
  int before = 0, after = 0, moved = 0;
  for (int a = 0; a < vertices; ++a) {
    moved += player[a] != a;
    for (int b = 0; b < vertices; ++b) {
      const int w = weighted ? weight[a][b] : weight[a][b] != 0;
      before += node_of[a] != node_of[b] ? w : 0;
      after += node_of[player[a]] != node_of[player[b]] ? w : 0;
    }
  }
  CHECK(after <= before);
  CHECK(!moved || after < before || getenv("MARSHAL_TOPOLOGY") != NULL);
  return moved != 0;
}

/* The lists of this process's vertex in ascending order; how many. */
static int sources_of(int v, int vertices, int* list, int* weights) {
  int n = 0;
  for (int a = 0; a < vertices; ++a)
    if (weight[a][v]) list[n] = a, weights[n++] = weight[a][v];
  return n;
}
static int destinations_of(int v, int vertices, int* list, int* weights) {
  int n = 0;
  for (int b = 0; b < vertices; ++b)
    if (weight[v][b]) list[n] = b, weights[n++] = weight[v][b];
  return n;
}

static void check_lists(const char* which, int n, const int* got, const int* got_weights, int wanted_n, const int* wanted,
                        const int* wanted_weights, int weighted, int in_order) {
  CHECK(n == wanted_n);
  if (n != wanted_n) {
    printf("rank %d: %d %s, not %d\n", world_rank, n, which, wanted_n);
    return;
  }
  for (int i = 0; i < n; ++i) {
    int j = 0;
    while (j < n && wanted[j] != got[i]) ++j;
    CHECK(j < n && (!in_order || j == i));
    if (j < n && weighted) CHECK(got_weights[i] == wanted_weights[j]);
  }
}

/* What arrives by the neighbourhood collectives, beside what the graph says. */
static void exchange(MPI_Comm graph, int rank, int in, const int* sources, int out, const int* destinations) {
  int mine[2] = {rank, rank * rank + 7}, from_all[2 * most], to_each[most], from_each[most], i;
  CHECK(MPI_Neighbor_allgather(mine, 2, MPI_INT, from_all, 2, MPI_INT, graph) == MPI_SUCCESS);
  for (i = 0; i < in; ++i) CHECK(from_all[2 * i] == sources[i] && from_all[2 * i + 1] == sources[i] * sources[i] + 7);
  for (i = 0; i < out; ++i) to_each[i] = 1000 * rank + destinations[i];
  CHECK(MPI_Neighbor_alltoall(to_each, 1, MPI_INT, from_each, 1, MPI_INT, graph) == MPI_SUCCESS);
  for (i = 0; i < in; ++i) CHECK(from_each[i] == 1000 * sources[i] + rank);
}

static void check_distributed(MPI_Comm graph, int weighted, int in_order) {
  int rank, size, in, out, is_weighted;
  int sources[most], source_weights[most], destinations[most], destination_weights[most];
  int wanted[most], wanted_weights[most];
  MPI_Comm_rank(graph, &rank);
  MPI_Comm_size(graph, &size);
  CHECK(size == world_size);
  CHECK(MPI_Dist_graph_neighbors_count(graph, &in, &out, &is_weighted) == MPI_SUCCESS);
  CHECK(is_weighted == weighted);
  /* MPICH 4.0 copies weights that are not there into room for them. */
  CHECK(MPI_Dist_graph_neighbors(graph, in, sources, weighted ? source_weights : MPI_UNWEIGHTED, out, destinations,
                                 weighted ? destination_weights : MPI_UNWEIGHTED) == MPI_SUCCESS);
  int n = sources_of(rank, size, wanted, wanted_weights);
  check_lists("sources", in, sources, source_weights, n, wanted, wanted_weights, weighted, in_order);
  n = destinations_of(rank, size, wanted, wanted_weights);
  check_lists("destinations", out, destinations, destination_weights, n, wanted, wanted_weights, weighted, in_order);
  exchange(graph, rank, in, sources, out, destinations);
}

static MPI_Comm adjacent(int weighted) {
  int sources[most], source_weights[most], destinations[most], destination_weights[most];
  const int in = sources_of(world_rank, world_size, sources, source_weights);
  const int out = destinations_of(world_rank, world_size, destinations, destination_weights);
  MPI_Comm graph = MPI_COMM_NULL;
  CHECK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, sources,
                                       !weighted ? MPI_UNWEIGHTED : in ? source_weights : MPI_WEIGHTS_EMPTY, out, destinations,
                                       !weighted ? MPI_UNWEIGHTED : out ? destination_weights : MPI_WEIGHTS_EMPTY, MPI_INFO_NULL,
                                       may_move, &graph) == MPI_SUCCESS);
  return graph;
}

/* Each process gives the edges of any vertices: of those whose number it is when 5 is added. */
static MPI_Comm scattered(int weighted) {
  int source = (world_rank + 5) % world_size, destinations[most], weights[most];
  const int degree = destinations_of(source, world_size, destinations, weights);
  MPI_Comm graph = MPI_COMM_NULL;
  CHECK(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &source, &degree, destinations,
                              !weighted ? MPI_UNWEIGHTED : degree ? weights : MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, may_move,
                              &graph) == MPI_SUCCESS);
  return graph;
}

/* MPI_Graph_create's graph must be symmetric. */
static int whole(int vertices) {
  int index[most], edges[most * most], n = 0, moved = 0, mapped = -2, neighbours[most], count = 0;
  for (int a = 0; a < vertices; ++a)
    for (int b = a; b < vertices; ++b) weight[a][b] = weight[b][a] = (weight[a][b] || weight[b][a]) && a != b;
  for (int a = 0; a < vertices; ++a) {
    for (int b = 0; b < vertices; ++b)
      if (weight[a][b]) edges[n++] = b;
    index[a] = n;
  }
  MPI_Comm graph;
  CHECK(MPI_Graph_map(MPI_COMM_WORLD, vertices, index, edges, &mapped) == MPI_SUCCESS);
  CHECK(MPI_Graph_create(MPI_COMM_WORLD, vertices, index, edges, may_move, &graph) == MPI_SUCCESS);
  CHECK((graph != MPI_COMM_NULL) == (world_rank < vertices));
  if (graph == MPI_COMM_NULL) {
    if (may_move) CHECK(mapped == MPI_UNDEFINED);
    return 0;
  }
  int rank;
  MPI_Comm_rank(graph, &rank);
  if (may_move) CHECK(mapped == rank);
  MPI_Graph_neighbors_count(graph, rank, &count);
  MPI_Graph_neighbors(graph, rank, most, neighbours);
  const int first = rank == 0 ? 0 : index[rank - 1];
  CHECK(count == index[rank] - first);
  for (int i = 0; i < count; ++i) CHECK(neighbours[i] == edges[first + i]);
  exchange(graph, rank, count, neighbours, count, neighbours);
  moved = compare_with_given(graph, vertices, 1);
  MPI_Comm_free(&graph);
  return moved;
}

static void finish_graph(MPI_Comm graph, int weighted, int* moved) {
  *moved += compare_with_given(graph, world_size, weighted);
  MPI_Comm duplicate; /* has the same vertices */
  MPI_Comm_dup(graph, &duplicate);
  check_distributed(duplicate, weighted, 0);
  MPI_Comm_free(&duplicate);
  MPI_Comm_free(&graph);
}

/* Errors are those of a call that may not reorder. */
static void bad_input(void) {
  MPI_Comm graph, quiet;
  int classes[2], index[most], edges[most], outside = 7 * most;
  MPI_Comm_dup(MPI_COMM_WORLD, &quiet);
  MPI_Comm_set_errhandler(quiet, MPI_ERRORS_RETURN);
  for (int v = 0; v < world_size; ++v) index[v] = v + 1, edges[v] = outside;
  for (int reorder = 0; reorder <= may_move; ++reorder) { /* Open MPI 4.1 takes such edges */
    graph = MPI_COMM_NULL;
    MPI_Error_class(MPI_Graph_create(quiet, world_size, index, edges, reorder, &graph), &classes[reorder]);
    if (classes[reorder] == MPI_SUCCESS) MPI_Comm_free(&graph);
  }
  if (may_move) CHECK(classes[0] == classes[1]);
  for (int reorder = 0; reorder <= may_move; ++reorder)
    MPI_Error_class(MPI_Graph_create(quiet, world_size + 1, index, edges, reorder, &graph), &classes[reorder]);
  CHECK(classes[0] != MPI_SUCCESS);
  if (may_move) CHECK(classes[0] == classes[1]);
  for (int reorder = 0; reorder <= may_move; ++reorder)
    MPI_Error_class(MPI_Dist_graph_create_adjacent(quiet, -1, edges, MPI_UNWEIGHTED, 0, edges, MPI_UNWEIGHTED, MPI_INFO_NULL, reorder,
                                                   &graph),
                    &classes[reorder]);
  CHECK(classes[0] != MPI_SUCCESS);
  if (may_move) CHECK(classes[0] == classes[1]);
  MPI_Comm_free(&quiet);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  /* Told only to report, Marshal leaves reordering to the host, which may never come back from it. */
  const char* use = getenv("MARSHAL_CART");
  may_move = use == NULL || strcmp(use, "best") == 0;
  const char* wanted = getenv("MARSHAL_TEST_SEED");
  unsigned seed = wanted ? (unsigned)strtoul(wanted, NULL, 10) : (unsigned)time(NULL);
  MPI_Bcast(&seed, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
  if (world_rank == 0) printf("MARSHAL_TEST_SEED=%u\n", seed);
  state = seed;
  find_nodes();
  int moved = 0, rings_moved = 0;
  for (int run = 0; run < 8; ++run) {
    const int weighted = run % 2;
    draw_graph(world_size, 5 + 10 * (unsigned)(run % 4));
    MPI_Comm graph = adjacent(weighted);
    check_distributed(graph, weighted, 1);
    finish_graph(graph, weighted, &moved);
    graph = scattered(weighted);
    check_distributed(graph, weighted, 0);
    finish_graph(graph, weighted, &moved);
    moved += whole(world_size - run % 3);
  }
  for (int again = 0; again < 6; ++again) {
    ring(world_size);
    MPI_Comm graph = adjacent(0);
    check_distributed(graph, 0, 1);
    finish_graph(graph, 0, &rings_moved);
  }
  int any = 0;
  for (int r = 1; r < world_size; ++r) any += node_of[r] != node_of[r - 1];
  if (may_move && any == world_size - 1) CHECK(rings_moved == 6); /* dealt out */
  if (!may_move) CHECK(moved + rings_moved == 0);
  bad_input();
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all != 0;
}
