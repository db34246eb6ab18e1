// Random trees of communicators, made in every way that derives one from another: marshal.h names the same process as the host, both ways.
// cluster: nodes=4 ranks=8 env=MARSHAL_SELF_CHECK=on
// cluster: nodes=3 ranks=6 cyclic=yes env=MARSHAL_SELF_CHECK=on env=MARSHAL_RANKMAP=rankmap sanitizer=no
// cluster: nodes=2 ranks=5 env=MARSHAL_SELF_CHECK=on env=MARSHAL_RANKMAP=sparse
// cluster: nodes=2 ranks=5 env=MARSHAL_SELF_CHECK=on env=MARSHAL_RANKMAP=lut sanitizer=no
// cluster: nodes=2 ranks=4 env=MARSHAL_RANKMAP=off sanitizer=no
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "wrappers/actions/marshal.h"

enum { steps = 150, most_alive = 12 };

static unsigned long long state;
static int draw(int n) {  // the same on all ranks
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (int)((state >> 33) % (unsigned)n);
}

static MPI_Group world;
static int me, off, checked;

static void wrong(const char* how, const char* what) {
  fprintf(stderr, "rank %d: after %s: %s\n", me, how, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void check(MPI_Comm comm, const char* how) {
  int inter, n;
  MPI_Group group;
  MPI_Comm_test_inter(comm, &inter);
  if (inter)
    MPI_Comm_remote_group(comm, &group);
  else
    MPI_Comm_group(comm, &group);
  MPI_Group_size(group, &n);
  int *ranks = malloc((size_t)n * sizeof *ranks), *lpids = malloc((size_t)n * sizeof *lpids);
  for (int i = 0; i < n; i++) ranks[i] = i;
  MPI_Group_translate_ranks(group, n, ranks, world, lpids);
  int size = -1, pgroup, lpid, rank;
  if (off) {
    if (marshal_comm_process(comm, 0, &pgroup, &lpid) != MARSHAL_UNKNOWN_COMM) wrong(how, "a map with MARSHAL_RANKMAP=off");
  } else {
    if (marshal_comm_size(comm, &size) != MARSHAL_SUCCESS || size != n) wrong(how, "wrong size");
    for (int i = 0; i < n; i++) {
      if (marshal_comm_process(comm, i, &pgroup, &lpid) != MARSHAL_SUCCESS || pgroup != 0 || lpid != lpids[i]) wrong(how, "wrong process");
      if (marshal_comm_rank(comm, 0, lpids[i], &rank) != MARSHAL_SUCCESS || rank != i) wrong(how, "wrong rank");
      ++checked;
    }
    if (marshal_comm_process(comm, n, &pgroup, &lpid) != MARSHAL_NO_RANK) wrong(how, "a process beyond the last");
    if (marshal_comm_process(comm, MPI_PROC_NULL, &pgroup, &lpid) != MARSHAL_NO_RANK) wrong(how, "a process for MPI_PROC_NULL");
    if (marshal_comm_process(comm, MPI_ANY_SOURCE, &pgroup, &lpid) != MARSHAL_NO_RANK) wrong(how, "a process for MPI_ANY_SOURCE");
  }
  free(ranks);
  free(lpids);
  MPI_Group_free(&group);
}

// Draws must stay the same on all ranks whatever communicator a rank is in: each operation draws as often as any other.
static MPI_Comm derive(MPI_Comm parent, int how, int a, int b, const char** name) {
  MPI_Comm made = MPI_COMM_NULL;
  if (parent == MPI_COMM_NULL) return made;
  int rank, size;
  MPI_Comm_rank(parent, &rank);
  MPI_Comm_size(parent, &size);
  switch (how) {
    case 0: *name = "dup"; MPI_Comm_dup(parent, &made); break;
    case 1: *name = "split"; MPI_Comm_split(parent, (rank * (a + 1) + b) % 3, a % 2 ? rank : -rank, &made); break;
    case 2: *name = "split with random keys"; MPI_Comm_split(parent, rank % (1 + a % 2), (rank * 7919 + b * 31) % 13, &made); break;
    case 3: *name = "split, some undefined"; MPI_Comm_split(parent, rank % 3 == a % 3 ? MPI_UNDEFINED : 1, b % 2 ? rank : 0, &made); break;
    case 4: *name = "split_type"; MPI_Comm_split_type(parent, MPI_COMM_TYPE_SHARED, a % 2 ? -rank : rank, MPI_INFO_NULL, &made); break;
    case 5: {
      *name = "cart_create";
      int dims[2] = {0, 0}, periods[2] = {a % 2, b % 2};
      MPI_Dims_create(size - (size > 2 && a % 3 == 0), 2, dims);
      MPI_Cart_create(parent, 2, dims, periods, b % 2, &made);
      break;
    }
    case 6: {
      *name = "cart_sub";
      int dims[3] = {0, 0, 0}, periods[3] = {0, 1, 0}, remain[3] = {a % 2, b % 2, (a + b) % 3 == 0};
      MPI_Comm grid;
      MPI_Dims_create(size, 3, dims);
      MPI_Cart_create(parent, 3, dims, periods, 0, &grid);
      check(grid, "cart_create");
      MPI_Cart_sub(grid, remain, &made);
      MPI_Comm_free(&grid);
      break;
    }
    case 7: {
      *name = "create from incl";
      MPI_Group group, part;
      int ranks[64], n = 0;
      for (int i = size - 1; i >= 0 && n < 64; i -= 1 + a % 2) ranks[n++] = i;
      MPI_Comm_group(parent, &group);
      MPI_Group_incl(group, n, ranks, &part);
      MPI_Comm_create(parent, part, &made);
      MPI_Group_free(&part);
      MPI_Group_free(&group);
      break;
    }
    case 8: {
      *name = "create from excl, union, difference";
      MPI_Group group, without, last, all;
      int ranks[1] = {a % size};
      int range[1][3] = {{0, size - 1, 1 + b % 3}};
      MPI_Comm_group(parent, &group);
      MPI_Group_excl(group, size > 1, ranks, &without);
      MPI_Group_range_incl(group, 1, range, &last);
      MPI_Group_union(last, without, &all);
      MPI_Comm_create_group(parent, all, 17, &made);
      MPI_Group_free(&group);
      MPI_Group_free(&without);
      MPI_Group_free(&last);
      MPI_Group_free(&all);
      break;
    }
    case 9: {
      *name = "intercomm_create and merge";
      if (size < 2) break;
      MPI_Comm half, inter;
      const int low = rank < (size + 1) / 2;
      MPI_Comm_split(parent, low, a % 2 ? rank : -rank, &half);
      const int leader = a % 2 ? (low ? (size + 1) / 2 : 0) : (low ? size - 1 : (size + 1) / 2 - 1);
      MPI_Intercomm_create(half, 0, parent, leader, 3, &inter);
      check(inter, "intercomm_create");
      MPI_Comm copy;
      MPI_Comm_dup(inter, &copy);
      check(copy, "dup of an intercommunicator");
      MPI_Comm_free(&copy);
      MPI_Intercomm_merge(inter, b % 2 ? low : !low, &made);
      MPI_Comm_free(&inter);
      MPI_Comm_free(&half);
      break;
    }
    case 10: {
      *name = "graph_create";
      int index[64], edges[64];
      for (int i = 0; i < size; i++) index[i] = i + 1, edges[i] = (i + 1) % size;
      MPI_Graph_create(parent, size, index, edges, a % 2, &made);
      break;
    }
    default: {
      *name = "idup";
      MPI_Request request;
      MPI_Comm_idup(parent, &made, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
  return made;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  const char* form = getenv("MARSHAL_RANKMAP");
  off = form && strcmp(form, "off") == 0;
  unsigned long long seed = argc > 1 ? strtoull(argv[1], NULL, 10) : (unsigned long long)time(NULL);
  MPI_Bcast(&seed, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
  state = seed;
  if (me == 0) printf("seed %llu\n", seed);
  if (!marshal_comm_process) wrong("start", "no marshal.h: not under Marshal");
  MPI_Comm alive[most_alive] = {MPI_COMM_WORLD};
  for (int i = 1; i < most_alive; i++) alive[i] = MPI_COMM_NULL;
  for (int step = 0; step < steps; step++) {
    const int from = draw(2) ? draw(most_alive) : 0, to = 1 + draw(most_alive - 1), how = draw(12), a = draw(1000), b = draw(1000);
    const char* name = "nothing";
    MPI_Comm made = derive(alive[from], how, a, b, &name);
    if (made != MPI_COMM_NULL) check(made, name);
    if (alive[to] != MPI_COMM_NULL) MPI_Comm_free(&alive[to]);
    alive[to] = made;
  }
  for (int i = 1; i < most_alive; i++)
    if (alive[i] != MPI_COMM_NULL) check(alive[i], "everything"), MPI_Comm_free(&alive[i]);
  MPI_Group_free(&world);
  if (me == 0) printf("%d ranks checked\n", checked);
  MPI_Finalize();
  return 0;
}
