// The bytes that Marshal counts from node to node are those that the nodes' network interfaces send, on nodes that have an interface
// each. Kinds of sending that some host's interfaces send more often than once (tests/hosts/faults) are tried by themselves. Every rank
// sends as much within its node, which must not count as leaving it.
// cluster: nodes=3 ranks=6 interfaces=yes args=blocking,nonblocking,persistent
// cluster: nodes=3 ranks=6 interfaces=yes args=neighbourhood,datatype
// cluster: nodes=3 ranks=6 interfaces=yes args=partitioned
// cluster: nodes=3 ranks=6 interfaces=yes env4=OMPI_MCA_osc=pt2pt args=put
// cluster: nodes=3 ranks=6 interfaces=yes env4=OMPI_MCA_osc=pt2pt args=get
// cluster: nodes=3 ranks=6 interfaces=yes env4=OMPI_MCA_osc=pt2pt args=accumulate
// cluster: nodes=3 ranks=6 interfaces=yes env4=OMPI_MCA_osc=pt2pt args=get_accumulate
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { doubles = 32768, length = 8 * doubles, rounds = 24 };
static int rank, size, across, before_across, beside;
static double *out, *in, *in_beside;

// One message to a rank of the next node, and one to the other rank of this node.
static void blocking(void) {
  for (int i = 0; i < rounds; ++i) {
    if (i % 2) {
      MPI_Sendrecv(out, doubles, MPI_DOUBLE, across, 0, in, doubles, MPI_DOUBLE, before_across, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Sendrecv(out, length, MPI_BYTE, beside, 0, in_beside, length, MPI_BYTE, beside, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      continue;
    }
    MPI_Request got[2];
    MPI_Irecv(in, doubles, MPI_DOUBLE, before_across, 0, MPI_COMM_WORLD, &got[0]);
    MPI_Irecv(in_beside, doubles, MPI_DOUBLE, beside, 0, MPI_COMM_WORLD, &got[1]);
    if (i % 4)
      MPI_Ssend(out, doubles, MPI_DOUBLE, across, 0, MPI_COMM_WORLD);
    else
      MPI_Send(out, doubles, MPI_DOUBLE, across, 0, MPI_COMM_WORLD);
    MPI_Send(out, doubles, MPI_DOUBLE, beside, 0, MPI_COMM_WORLD);
    MPI_Waitall(2, got, MPI_STATUSES_IGNORE);
  }
}

static void nonblocking(void) {
  for (int i = 0; i < rounds; ++i) {
    MPI_Request all[4];
    MPI_Irecv(in, doubles, MPI_DOUBLE, before_across, 0, MPI_COMM_WORLD, &all[0]);
    MPI_Irecv(in_beside, doubles, MPI_DOUBLE, beside, 0, MPI_COMM_WORLD, &all[1]);
    if (i % 2)
      MPI_Issend(out, doubles, MPI_DOUBLE, across, 0, MPI_COMM_WORLD, &all[2]);
    else
      MPI_Isend(out, doubles, MPI_DOUBLE, across, 0, MPI_COMM_WORLD, &all[2]);
    MPI_Isend(out, doubles, MPI_DOUBLE, beside, 0, MPI_COMM_WORLD, &all[3]);
    MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
  }
}

static void persistent(void) {
  MPI_Request all[4];
  MPI_Recv_init(in, doubles, MPI_DOUBLE, before_across, 0, MPI_COMM_WORLD, &all[0]);
  MPI_Recv_init(in_beside, doubles, MPI_DOUBLE, beside, 0, MPI_COMM_WORLD, &all[1]);
  MPI_Send_init(out, doubles, MPI_DOUBLE, across, 0, MPI_COMM_WORLD, &all[2]);
  MPI_Ssend_init(out, doubles, MPI_DOUBLE, beside, 0, MPI_COMM_WORLD, &all[3]);
  for (int i = 0; i < rounds; ++i) {
    if (i % 2)
      MPI_Startall(4, all);
    else
      for (int k = 0; k < 4; ++k) MPI_Start(&all[k]);
    MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
  }
  for (int k = 0; k < 4; ++k) MPI_Request_free(&all[k]);
}

static void partitioned(void) {
#if MPI_VERSION >= 4
  MPI_Request all[2];
  MPI_Precv_init(in, 4, doubles / 4, MPI_DOUBLE, before_across, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &all[0]);
  MPI_Psend_init(out, 4, doubles / 4, MPI_DOUBLE, across, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &all[1]);
  for (int i = 0; i < rounds; ++i) {
    MPI_Startall(2, all);
    MPI_Pready_range(0, 3, all[1]);
    MPI_Waitall(2, all, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&all[0]);
  MPI_Request_free(&all[1]);
#else
  if (rank == 0) printf("this MPI has no partitioned sends: nonblocking ones instead\n");
  nonblocking();
#endif
}

static void neighbourhood(void) {
  const int sources[2] = {before_across, beside}, destinations[2] = {across, beside};
  MPI_Comm graph;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, MPI_UNWEIGHTED, 2, destinations, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  for (int i = 0; i < rounds; ++i) {
    if (i % 2)
      MPI_Neighbor_allgather(out, doubles, MPI_DOUBLE, in, doubles, MPI_DOUBLE, graph);
    else
      MPI_Neighbor_alltoall(out, doubles, MPI_DOUBLE, in, doubles, MPI_DOUBLE, graph);
  }
  MPI_Comm_free(&graph);
}

static void datatype(void) {
  MPI_Datatype every_other;
  MPI_Type_vector(doubles / 2, 1, 2, MPI_DOUBLE, &every_other);
  MPI_Type_commit(&every_other);
  for (int i = 0; i < 2 * rounds; ++i)
    MPI_Sendrecv(out, 1, every_other, across, 0, in, 1, every_other, before_across, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Type_free(&every_other);
}

static void one_sided(const char *kind) {
  MPI_Win window;
  MPI_Win_create(in, length, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  for (int i = 0; i < rounds; ++i) {
    MPI_Win_fence(0, window);
    if (!strcmp(kind, "put")) MPI_Put(out, doubles, MPI_DOUBLE, across, 0, doubles, MPI_DOUBLE, window);
    if (!strcmp(kind, "get")) MPI_Get(out, doubles, MPI_DOUBLE, across, 0, doubles, MPI_DOUBLE, window);
    if (!strcmp(kind, "accumulate")) MPI_Accumulate(out, doubles, MPI_DOUBLE, across, 0, doubles, MPI_DOUBLE, MPI_SUM, window);
    if (!strcmp(kind, "get_accumulate"))
      MPI_Get_accumulate(out, doubles, MPI_DOUBLE, in_beside, doubles, MPI_DOUBLE, across, 0, doubles, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_fence(0, window);
  }
  MPI_Win_free(&window);
}

static void send_by(const char *kind) {
  if (!strcmp(kind, "blocking"))
    blocking();
  else if (!strcmp(kind, "nonblocking"))
    nonblocking();
  else if (!strcmp(kind, "persistent"))
    persistent();
  else if (!strcmp(kind, "partitioned"))
    partitioned();
  else if (!strcmp(kind, "neighbourhood"))
    neighbourhood();
  else if (!strcmp(kind, "datatype"))
    datatype();
  else
    one_sided(kind);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  across = (rank + 2) % size;
  before_across = (rank + size - 2) % size;
  beside = rank ^ 1;
  out = calloc(2 * doubles, 8);
  in = calloc(2 * doubles, 8);
  in_beside = calloc(2 * doubles, 8);
  for (int i = 1; i < argc; ++i) send_by(argv[i]);
  MPI_Finalize();
  return 0;
}
