// Makes communicators in every way that MPI-3 knows, shows what it got, and frees them.
// cluster: nodes=4 ranks=8 env=MARSHAL_SELF_CHECK=on
// cluster: nodes=3 ranks=7 env=MARSHAL_SELF_CHECK=on sanitizer=no
// cluster: nodes=1 ranks=1 env=MARSHAL_SELF_CHECK=on sanitizer=no
// cluster: nodes=2 ranks=6 cyclic=yes under=run
#include "tests/apps/show_communicator.h"

static int me, ranks;

static void show_and_free(const char* name, MPI_Comm* comm) {
  show(name, *comm);
  if (*comm != MPI_COMM_NULL) MPI_Comm_free(comm);
}

static void duplicates(void) {
  MPI_Comm comm, second, third;
  MPI_Request request;
  MPI_Info info;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  show("dup", comm);
  MPI_Comm_dup(comm, &second);
  show_and_free("dup of dup", &second);
  MPI_Info_create(&info);
  MPI_Info_set(info, "marshal_test", "yes");
  MPI_Comm_dup_with_info(comm, info, &second);
  show_and_free("dup_with_info", &second);
  MPI_Info_free(&info);
  MPI_Comm_idup(comm, &second, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  show("idup", second);
  MPI_Comm_idup(second, &third, &request);
  int done = 0;
  while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  show_and_free("idup, tested", &third);
  MPI_Comm_free(&second);
  show_and_free("dup", &comm);
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  show_and_free("dup of self", &comm);
}

static void splits(void) {
  MPI_Comm comm, second;
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &comm);
  show("split odd and even", comm);
  MPI_Comm_split(comm, 0, -me, &second);
  show_and_free("split reversed", &second);
  MPI_Comm_free(&comm);
  MPI_Comm_split(MPI_COMM_WORLD, me % 3 == 1 ? MPI_UNDEFINED : 7, 0, &comm);
  show_and_free("split without some", &comm);
  MPI_Comm_split(MPI_COMM_WORLD, 0, (me * 5 + 3) % 8, &comm);
  show_and_free("split shuffled", &comm);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, me, MPI_INFO_NULL, &comm);
  show_and_free("split_type shared", &comm);
  MPI_Comm_split_type(MPI_COMM_WORLD, me == 0 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, -me, MPI_INFO_NULL, &comm);
  show_and_free("split_type without rank 0", &comm);
}

static void show_group(const char* name, MPI_Group group) {
  char text[256];
  int size, rank;
  MPI_Group_size(group, &size);
  MPI_Group_rank(group, &rank);
  printf("%-28s world rank %d is %d of %d:%s\n", name, me, rank == MPI_UNDEFINED ? -1 : rank, size, world_ranks(group, text, sizeof text));
}

static void groups(void) {
  MPI_Group world, low, odd, result;
  MPI_Comm comm;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int low_ranges[1][3] = {{0, (ranks - 1) / 2, 1}};
  MPI_Group_range_incl(world, 1, low_ranges, &low);
  show_group("group range_incl", low);
  int odd_ranks[64], count = 0;
  for (int rank = ranks - 1; rank >= 0; rank--) {
    if (rank % 2 || ranks == 1) odd_ranks[count++] = rank;
  }
  MPI_Group_incl(world, count, odd_ranks, &odd);
  show_group("group incl", odd);
  MPI_Group_union(odd, low, &result);
  show_group("group union", result);
  MPI_Comm_create(MPI_COMM_WORLD, result, &comm);
  show_and_free("create of union", &comm);
  MPI_Group_free(&result);
  MPI_Group_intersection(odd, low, &result);
  show_group("group intersection", result);
  MPI_Group_free(&result);
  MPI_Group_difference(world, odd, &result);
  show_group("group difference", result);
  int comparison;
  MPI_Group_compare(world, result, &comparison);
  printf("%-28s world rank %d: %s\n", "group compare", me, comparison == MPI_UNEQUAL ? "unequal" : comparison == MPI_IDENT ? "ident" : "similar");
  MPI_Group_free(&result);
  MPI_Group_excl(world, count, odd_ranks, &result);
  show_group("group excl", result);
  int included = 0;
  MPI_Group_rank(result, &included);
  if (included != MPI_UNDEFINED) {
    MPI_Comm_create_group(MPI_COMM_WORLD, result, 5, &comm);
    show_and_free("create_group of excl", &comm);
  }
  MPI_Group_free(&result);
  MPI_Group_range_excl(world, 1, low_ranges, &result);
  show_group("group range_excl", result);
  MPI_Comm_create(MPI_COMM_WORLD, result, &comm);
  show_and_free("create of range_excl", &comm);
  MPI_Group_free(&result);
  MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_EMPTY, &comm);
  show_and_free("create of empty", &comm);
  int there[2] = {0, MPI_PROC_NULL}, here[2];
  MPI_Group_translate_ranks(odd, 2, there, low, here);
  printf("%-28s world rank %d: %d, proc_null stays: %d\n", "group translate_ranks", me, here[0] == MPI_UNDEFINED ? -1 : here[0], here[1] == MPI_PROC_NULL);
  MPI_Group_free(&world);
  MPI_Group_free(&low);
  MPI_Group_free(&odd);
}

static void grids(void) {
  int dims[2] = {0, 0}, periods[2] = {1, 0}, keep[2] = {0, 1}, where[2], up, down;
  MPI_Comm grid, line;
  MPI_Dims_create(ranks, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  MPI_Cart_coords(grid, me, 2, where);
  MPI_Cart_shift(grid, 0, 1, &up, &down);
  printf("%-28s world rank %d at %d %d of %d %d, between %d and %d\n", "cart", me, where[0], where[1], dims[0], dims[1], up, down);
  MPI_Cart_sub(grid, keep, &line);
  show_and_free("cart_sub rows", &line);
  keep[0] = 1;
  keep[1] = 0;
  MPI_Cart_sub(grid, keep, &line);
  show_and_free("cart_sub columns", &line);
  keep[0] = 0;
  MPI_Cart_sub(grid, keep, &line);
  show_and_free("cart_sub of nothing", &line);
  MPI_Comm_dup(grid, &line);
  show_and_free("dup of cart", &line);
  show_and_free("cart_create", &grid);
  int smaller[1] = {ranks > 1 ? ranks - 1 : 1};
  MPI_Cart_create(MPI_COMM_WORLD, 1, smaller, periods, 0, &grid);
  show_and_free("cart_create, one left out", &grid);
  MPI_Cart_create(MPI_COMM_WORLD, 0, smaller, periods, 0, &grid);
  show_and_free("cart_create, 0 dimensions", &grid);
}

static void graphs(void) {
  MPI_Comm graph;
  int index[64], edges[128];
  for (int rank = 0; rank < ranks; rank++) { // a ring
    index[rank] = 2 * (rank + 1);
    edges[2 * rank] = (rank + ranks - 1) % ranks;
    edges[2 * rank + 1] = (rank + 1) % ranks;
  }
  MPI_Graph_create(MPI_COMM_WORLD, ranks, index, edges, 0, &graph);
  show_and_free("graph_create", &graph);
  int left = (me + ranks - 1) % ranks, right = (me + 1) % ranks, degree = 1, in, out, weighted;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, MPI_UNWEIGHTED, 1, &right, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
  printf("%-28s world rank %d has %d in, %d out\n", "dist_graph neighbours", me, in, out);
  show_and_free("dist_graph_create_adjacent", &graph);
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &me, &degree, &right, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  show_and_free("dist_graph_create", &graph);
}

static void two_sides(void) {
  if (ranks < 2) return;
  const int side = me % 2;
  MPI_Comm half, across, merged, copy;
  MPI_Comm_split(MPI_COMM_WORLD, side, me, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 3, &across);
  show("intercomm_create", across);
  MPI_Comm_dup(across, &copy);
  show_and_free("dup of intercomm", &copy);
  MPI_Comm_split(across, me / 2 % 2, -me, &copy);
  show_and_free("split of intercomm", &copy);
  MPI_Intercomm_merge(across, side, &merged);
  show_and_free("intercomm_merge", &merged);
  MPI_Intercomm_merge(across, 1 - side, &merged);
  show_and_free("intercomm_merge, other order", &merged);
  MPI_Comm_free(&across);
  show("half", half);
  MPI_Comm_disconnect(&half);
  printf("%-28s world rank %d: %d\n", "disconnect", me, half == MPI_COMM_NULL);
}

static void many(void) { // handles are used again and again
  long sum = 0;
  for (int round = 0; round < 100; round++) {
    MPI_Comm comm, kept;
    int rank, size;
    MPI_Comm_split(MPI_COMM_WORLD, (me + round) % 3, round % 2 ? me : -me, &comm);
    MPI_Comm_dup(comm, &kept);
    MPI_Comm_free(&comm);
    MPI_Comm_rank(kept, &rank);
    MPI_Comm_size(kept, &size);
    sum = sum * 31 % 1000003 + rank * 64 + size;
    MPI_Comm_free(&kept);
  }
  printf("%-28s world rank %d: %ld\n", "100 rounds", me, sum);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  show("world", MPI_COMM_WORLD);
  show("self", MPI_COMM_SELF);
  duplicates();
  splits();
  groups();
  grids();
  graphs();
  two_sides();
  many();
  MPI_Finalize();
  return 0;
}
