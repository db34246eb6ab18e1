// Every way to send counts, by process, exactly: the program keeps its own books of what it sends, and compares them with
// Marshal's after each part.
// cluster: nodes=3 ranks=6 env4=OMPI_MCA_osc=pt2pt
// cluster: nodes=2 ranks=4 env4=OMPI_MCA_osc=pt2pt env=MARSHAL_RANKMAP=off
// cluster: nodes=2 ranks=6 env4=OMPI_MCA_osc=pt2pt env=MARSHAL_CART=search env=MARSHAL_CART_MOVE=always env=MARSHAL_TOPOLOGY=cyclic:2
#include "wrappers/actions/marshal.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most = 64, most_bytes = 1 << 16 };
static int rank, size, next, previous, wrong;
static unsigned long long messages[most], bytes[most];
static char out[most_bytes], in[most_bytes];

static void sent(int process, unsigned long long count) {
  messages[process] += 1;
  bytes[process] += count;
}

static void compare(const char *part) {
  for (int p = 0; p < size; ++p) {
    unsigned long long m = 0, b = 0;
    if (marshal_sent == NULL || marshal_sent(p, &m, &b) != MARSHAL_SUCCESS) {
      printf("rank %d, %s: messages are not counted\n", rank, part);
      ++wrong;
      return;
    }
    if (m != messages[p] || b != bytes[p]) {
      printf("rank %d to %d, after %s: %llu messages, %llu bytes, should be %llu, %llu\n", rank, p, part, m, b, messages[p], bytes[p]);
      ++wrong;
    }
  }
}

// A message from everybody to its neighbour in a ring of world ranks, sent by `send`, of `length` bytes.
#define RING(send, length)                                                                                         \
  do {                                                                                                             \
    MPI_Request request = MPI_REQUEST_NULL, got;                                                                   \
    MPI_Irecv(in, most_bytes, MPI_BYTE, previous, 1, MPI_COMM_WORLD, &got);                                        \
    MPI_Barrier(MPI_COMM_WORLD); /* Rsend needs it */                                                              \
    send;                                                                                                          \
    MPI_Wait(&request, MPI_STATUS_IGNORE);                                                                         \
    MPI_Wait(&got, MPI_STATUS_IGNORE);                                                                             \
    sent(next, length);                                                                                            \
  } while (0)

static void every_send(void) {
  const MPI_Comm world = MPI_COMM_WORLD;
  RING(MPI_Send(out, 2, MPI_INT, next, 1, world), 8);
  RING(MPI_Ssend(out, 3, MPI_DOUBLE, next, 1, world), 24);
  RING(MPI_Rsend(out, 5, MPI_SHORT, next, 1, world), 10);
  RING(MPI_Bsend(out, 7, MPI_BYTE, next, 1, world), 7);
  RING(MPI_Isend(out, 2, MPI_INT, next, 1, world, &request), 8);
  RING(MPI_Issend(out, 3, MPI_DOUBLE, next, 1, world, &request), 24);
  RING(MPI_Irsend(out, 5, MPI_SHORT, next, 1, world, &request), 10);
  RING(MPI_Ibsend(out, 7, MPI_BYTE, next, 1, world, &request), 7);
  RING(MPI_Send(out, 0, MPI_INT, next, 1, world), 0);
  RING(MPI_Send(NULL, 0, MPI_INT, next, 1, world), 0);
  compare("sends");
  MPI_Sendrecv(out, 11, MPI_INT, next, 2, in, 11, MPI_INT, previous, 2, world, MPI_STATUS_IGNORE);
  sent(next, 44);
  MPI_Sendrecv_replace(out, 13, MPI_CHAR, previous, 2, next, 2, world, MPI_STATUS_IGNORE);
  sent(previous, 13);
  compare("MPI_Sendrecv");
  MPI_Request mine;
  MPI_Irecv(in, 4, MPI_BYTE, rank, 3, world, &mine);
  MPI_Send(out, 4, MPI_BYTE, rank, 3, world);
  MPI_Wait(&mine, MPI_STATUS_IGNORE);
  sent(rank, 4);
  MPI_Send(out, 9, MPI_INT, MPI_PROC_NULL, 1, world);
  MPI_Sendrecv(out, 9, MPI_INT, MPI_PROC_NULL, 1, in, 9, MPI_INT, MPI_PROC_NULL, 1, world, MPI_STATUS_IGNORE);
  compare("itself and MPI_PROC_NULL");
#if MPI_VERSION >= 4
  RING(MPI_Send_c(out, 2, MPI_INT, next, 1, world), 8);
  RING(MPI_Issend_c(out, 3, MPI_DOUBLE, next, 1, world, &request), 24);
  MPI_Sendrecv_c(out, 11, MPI_INT, next, 2, in, 11, MPI_INT, previous, 2, world, MPI_STATUS_IGNORE);
  sent(next, 44);
  MPI_Request both;
  MPI_Isendrecv(out, 6, MPI_INT, next, 2, in, 6, MPI_INT, previous, 2, world, &both);
  MPI_Wait(&both, MPI_STATUS_IGNORE);
  sent(next, 24);
  MPI_Isendrecv_replace(out, 6, MPI_INT, previous, 2, next, 2, world, &both);
  MPI_Wait(&both, MPI_STATUS_IGNORE);
  sent(previous, 24);
  compare("calls of MPI-4");
#endif
}

// Types of other sizes under the same handles, again and again.
static void types(void) {
  for (int n = 1; n < 20; ++n) {
    MPI_Datatype type;
    MPI_Type_vector(n, 2, 3, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    RING(MPI_Send(out, 3, type, next, 1, MPI_COMM_WORLD), 48ULL * (unsigned)n);
    RING(MPI_Isend(out, 1, type, next, 1, MPI_COMM_WORLD, &request), 16ULL * (unsigned)n);
    MPI_Type_free(&type);
  }
  compare("derived datatypes");
}

static void one_message(MPI_Comm comm, int to, int from, int process, int count) {
  MPI_Sendrecv(out, count, MPI_INT, to, 4, in, count, MPI_INT, from, 4, comm, MPI_STATUS_IGNORE);
  sent(process, 4ULL * (unsigned)count);
}

// Communicators whose ranks are others than the world's, under the same handles, again and again.
static void communicators(void) {
  for (int turn = 0; turn < 2 * size; ++turn) {
    MPI_Comm turned;
    MPI_Comm_split(MPI_COMM_WORLD, 0, (rank + turn) % size, &turned); // world rank r has rank (r + turn) % size
    const int own = (rank + turn) % size;
    one_message(turned, (own + 2) % size, (own + size - 2) % size, (rank + 2) % size, turn + 1);
    MPI_Comm same;
    MPI_Comm_dup(turned, &same);
    MPI_Comm_free(&turned);
    one_message(same, (own + 1) % size, (own + size - 1) % size, next, 1);
    MPI_Comm_free(&same);
  }
  compare("split communicators");
  MPI_Comm half, inter;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half); // even and odd, each backwards
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? size - 2 : size - 1, 5, &inter);
  int own;
  MPI_Comm_rank(half, &own);
  one_message(inter, own, own, rank % 2 ? rank - 1 : rank + 1, 17);
  compare("an intercommunicator");
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

static void persistent(void) {
  MPI_Request all[6];
  MPI_Recv_init(in, 100, MPI_INT, previous, 6, MPI_COMM_WORLD, &all[0]);
  MPI_Send_init(out, 10, MPI_INT, next, 6, MPI_COMM_WORLD, &all[1]);
  MPI_Recv_init(in + 1000, 100, MPI_INT, previous, 7, MPI_COMM_WORLD, &all[2]);
  MPI_Ssend_init(out, 20, MPI_INT, next, 7, MPI_COMM_WORLD, &all[3]);
  MPI_Recv_init(in + 2000, 100, MPI_INT, next, 8, MPI_COMM_WORLD, &all[4]);
  MPI_Bsend_init(out, 5, MPI_INT, previous, 8, MPI_COMM_WORLD, &all[5]);
  compare("setting up persistent sends");
  for (int round = 0; round < 50; ++round) {
    if (round % 2)
      MPI_Startall(6, all);
    else
      for (int i = 0; i < 6; ++i) MPI_Start(&all[i]);
    MPI_Waitall(6, all, MPI_STATUSES_IGNORE);
    sent(next, 40);
    sent(next, 80);
    sent(previous, 20);
  }
  compare("persistent sends");
  for (int i = 0; i < 6; ++i) MPI_Request_free(&all[i]);
  // Other persistent requests under the same handles send nothing.
  MPI_Request to_nobody[6];
  for (int i = 0; i < 6; ++i) MPI_Recv_init(in, 1, MPI_INT, MPI_PROC_NULL, 6, MPI_COMM_WORLD, &to_nobody[i]);
  MPI_Startall(6, to_nobody);
  MPI_Waitall(6, to_nobody, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 6; ++i) MPI_Request_free(&to_nobody[i]);
  compare("persistent receives");
#if MPI_VERSION >= 4
  MPI_Request parts, got;
  MPI_Precv_init(in, 4, 8, MPI_INT, previous, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &got);
  MPI_Psend_init(out, 4, 8, MPI_INT, next, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &parts);
  for (int round = 0; round < 3; ++round) {
    MPI_Start(&got);
    MPI_Start(&parts);
    MPI_Pready_range(0, 3, parts);
    MPI_Wait(&parts, MPI_STATUS_IGNORE);
    MPI_Wait(&got, MPI_STATUS_IGNORE);
    sent(next, 4 * 8 * 4);
  }
  MPI_Request_free(&parts);
  MPI_Request_free(&got);
  compare("partitioned sends");
#endif
}

// `to`: the world ranks that the send blocks go to, -1 for none.
static void neighbour_calls(MPI_Comm comm, const int *to, int n, const char *part) {
  int counts[8], displs[8];
  MPI_Aint places[8];
  MPI_Datatype types[8];
  for (int i = 0; i < 8; ++i) {
    counts[i] = i + 1;
    displs[i] = 16 * i;
    places[i] = 64 * i;
    types[i] = i % 2 ? MPI_INT : MPI_SHORT;
  }
#define TO_EACH(length) \
  for (int i = 0; i < n; ++i) if (to[i] >= 0) sent(to[i], (unsigned long long)(length))
  int topology;
  MPI_Topo_test(comm, &topology);
  MPI_Neighbor_allgather(out, 3, MPI_INT, in, 3, MPI_INT, comm);
  TO_EACH(12);
  MPI_Neighbor_alltoall(out, 5, MPI_INT, in, 5, MPI_INT, comm);
  TO_EACH(20);
  MPI_Request request;
  MPI_Ineighbor_alltoall(out, 6, MPI_INT, in, 6, MPI_INT, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  TO_EACH(24);
  compare(part);
  if (topology == MPI_CART) return; // counts by block need symmetric neighbours to match: in the graphs below they do
  for (int i = 0; i < 8; ++i) counts[i] = 2, types[i] = MPI_INT;
  MPI_Neighbor_alltoallv(out, counts, displs, MPI_INT, in, counts, displs, MPI_INT, comm);
  TO_EACH(8);
  MPI_Neighbor_alltoallw(out, counts, places, types, in, counts, places, types, comm);
  TO_EACH(8);
  compare(part);
}

static void topologies(void) {
  const int dims[2] = {2, size / 2}, periods[2] = {1, 0};
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  int to[4], world[most]; // ranks may be others than those of the world here
  MPI_Allgather(&rank, 1, MPI_INT, world, 1, MPI_INT, grid);
  for (int d = 0; d < 2; ++d) MPI_Cart_shift(grid, d, 1, &to[2 * d], &to[2 * d + 1]);
  for (int i = 0; i < 4; ++i) to[i] = to[i] == MPI_PROC_NULL ? -1 : world[to[i]];
  neighbour_calls(grid, to, 4, "neighbourhood collectives of a grid");
  MPI_Comm_free(&grid);

  // A ring that goes one way, on a communicator that is turned round.
  MPI_Comm backwards, ring;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
  const int own = size - 1 - rank, from = (own + 1) % size, target = (own + size - 1) % size, one = 1;
  MPI_Dist_graph_create_adjacent(backwards, 1, &from, &one, 1, &target, &one, MPI_INFO_NULL, 0, &ring);
  neighbour_calls(ring, &next, 1, "neighbourhood collectives of a distributed graph");
  MPI_Comm_free(&ring);
  MPI_Comm_free(&backwards);

  int index[most], edges[2 * most];
  for (int p = 0; p < size; ++p) {
    index[p] = 2 * (p + 1);
    edges[2 * p] = (p + size - 1) % size;
    edges[2 * p + 1] = (p + 1) % size;
  }
  MPI_Comm graph;
  MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &graph);
  const int both[2] = {previous, next};
  neighbour_calls(graph, both, 2, "neighbourhood collectives of a graph");
  MPI_Comm_free(&graph);
}

static void one_sided(void) {
  MPI_Comm backwards;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
  const int target = size - 1 - next; // the next world rank
  MPI_Win window;
  char *memory;
  MPI_Win_allocate(most_bytes, 1, MPI_INFO_NULL, backwards, &memory, &window);
  memset(memory, 0, most_bytes);
  MPI_Win_lock_all(0, window);
  MPI_Put(out, 3, MPI_INT, target, 0, 3, MPI_INT, window);
  sent(next, 12);
  MPI_Get(in, 4, MPI_INT, target, 64, 4, MPI_INT, window);
  sent(next, 16);
  MPI_Accumulate(out, 5, MPI_INT, target, 128, 5, MPI_INT, MPI_SUM, window);
  sent(next, 20);
  MPI_Get_accumulate(out, 6, MPI_INT, in, 6, MPI_INT, target, 256, 6, MPI_INT, MPI_SUM, window); // there and back
  sent(next, 2 * 24);
  MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, in, 6, MPI_INT, target, 256, 6, MPI_INT, MPI_NO_OP, window);
  sent(next, 24);
  MPI_Fetch_and_op(out, in, MPI_INT, target, 512, MPI_SUM, window);
  sent(next, 2 * 4);
  MPI_Fetch_and_op(NULL, in + 8, MPI_INT, target, 512, MPI_NO_OP, window);
  sent(next, 4);
  MPI_Win_flush(target, window);
  int swapped, old = 0, new = 1;
  MPI_Compare_and_swap(&new, &old, &swapped, MPI_INT, target, 520, window); // two values there, one back
  sent(next, 3 * 4);
  MPI_Request request;
  MPI_Rput(out, 7, MPI_INT, target, 600, 7, MPI_INT, window, &request);
  sent(next, 28);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Rget(in, 8, MPI_INT, target, 700, 8, MPI_INT, window, &request);
  sent(next, 32);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Put(out, 3, MPI_INT, MPI_PROC_NULL, 0, 3, MPI_INT, window);
  MPI_Win_unlock_all(window);
  compare("one-sided accesses");
  MPI_Win_free(&window);
  MPI_Comm_free(&backwards);
}

static void refused(void) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (MPI_Send(out, 1, MPI_INT, size, 1, MPI_COMM_WORLD) == MPI_SUCCESS) ++wrong;
  if (MPI_Send(out, -1, MPI_INT, next, 1, MPI_COMM_WORLD) == MPI_SUCCESS) ++wrong;
  if (MPI_Send(out, 1, MPI_INT, next, -77, MPI_COMM_WORLD) == MPI_SUCCESS) ++wrong;
  compare("sends that the host refuses");
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  static char room[1 << 16];
  MPI_Buffer_attach(room, sizeof room);
  every_send();
  types();
  communicators();
  persistent();
  topologies();
  one_sided();
  refused();
  void *detached;
  int detached_size;
  MPI_Buffer_detach(&detached, &detached_size);
  MPI_Finalize();
  return wrong != 0;
}
