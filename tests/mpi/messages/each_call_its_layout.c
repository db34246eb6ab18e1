// Moves datatypes between two ranks by every call, each time with a layout of its own, so that the report tells of each
// call who moved it. Prints "BLOCKS CALL", where its layout has so many blocks, and checks what arrived.
// engine_moves_each_call looks there. CALL_LEFT_OUT names one that a host cannot make.
//
// cluster: nodes=1 ranks=2 env=MARSHAL_MESSAGES=on
// cluster: nodes=1 ranks=2 env=MARSHAL_MESSAGES=calls env=MARSHAL_PACK=mars
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { least_blocks = 3000, most_blocks = 3100 };
static int me, other, blocks, wrong;
static double out[2 * most_blocks], in[2 * most_blocks], plain[2 * most_blocks], *in_window;
static MPI_Win window;
static MPI_Comm pair;
static MPI_Datatype t;
static const MPI_Comm* const world = &pair;

static double sent_by(int rank, int i) { return 10.0 * i + rank; }

typedef void Call(void);
static void call(const char* name, Call* run, int from) {
  const char* const left_out = getenv("CALL_LEFT_OUT");
  if (left_out != NULL && strcmp(left_out, name) == 0) return;
  blocks = least_blocks + from;
  MPI_Type_vector(blocks, 1, 2, MPI_DOUBLE, &t);
  MPI_Type_commit(&t);
  for (int i = 0; i < 2 * most_blocks; i++) out[i] = sent_by(me, i), in[i] = in_window[i] = -1;
  MPI_Barrier(*world);
  run();
  MPI_Barrier(*world);
  for (int i = 0; i < 2 * blocks; i++)
    if (in[i] != (i % 2 == 0 ? sent_by(other, i) : -1)) {
      printf("rank %d: %s: element %d is %g\n", me, name, i, in[i]);
      wrong++;
      break;
    }
  if (me == 0) printf("%d %s\n", blocks, name);
  MPI_Type_free(&t);
}

// From the other's bytes to `in`, or from this one's to bytes, where a call has a datatype on one side only.
static void into_place(const double* packed) {
  for (int i = 0; i < blocks; i++) in[2 * i] = packed[i];
}

static void send_recv(void) {
  if (me == 0) MPI_Send(out, 1, t, other, 0, *world);
  MPI_Recv(in, 1, t, other, 0, *world, MPI_STATUS_IGNORE);
  if (me == 1) MPI_Send(out, 1, t, other, 0, *world);
}
static void ssend(void) {
  if (me == 0) MPI_Ssend(out, 1, t, other, 0, *world);
  MPI_Recv(in, 1, t, other, 0, *world, MPI_STATUS_IGNORE);
  if (me == 1) MPI_Ssend(out, 1, t, other, 0, *world);
}
static void rsend(void) {
  MPI_Request request;
  MPI_Irecv(in, 1, t, other, 0, *world, &request);
  MPI_Barrier(*world);
  MPI_Rsend(out, 1, t, other, 0, *world);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void bsend(void) {
  int bytes;
  MPI_Pack_size(1, t, *world, &bytes);
  void* buffer = malloc((size_t)bytes + MPI_BSEND_OVERHEAD);
  MPI_Buffer_attach(buffer, bytes + MPI_BSEND_OVERHEAD);
  MPI_Bsend(out, 1, t, other, 0, *world);
  MPI_Recv(in, 1, t, other, 0, *world, MPI_STATUS_IGNORE);
  MPI_Buffer_detach(&buffer, &bytes);
  free(buffer);
}
static void isend(void) {
  MPI_Request requests[2];
  MPI_Irecv(in, 1, t, other, 0, *world, &requests[0]);
  MPI_Isend(out, 1, t, other, 0, *world, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
static void issend(void) {
  MPI_Request requests[2];
  MPI_Irecv(in, 1, t, other, 0, *world, &requests[0]);
  MPI_Issend(out, 1, t, other, 0, *world, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
static void persistent(void) {
  MPI_Request requests[2];
  MPI_Recv_init(in, 1, t, other, 0, *world, &requests[0]);
  MPI_Send_init(out, 1, t, other, 0, *world, &requests[1]);
  for (int i = 0; i < 3; i++) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}
static void mrecv(void) {
  MPI_Request request;
  MPI_Message message;
  MPI_Isend(out, 1, t, other, 0, *world, &request);
  MPI_Mprobe(other, 0, *world, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(in, 1, t, &message, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void sendrecv(void) { MPI_Sendrecv(out, 1, t, other, 0, in, 1, t, other, 0, *world, MPI_STATUS_IGNORE); }
static void sendrecv_replace(void) {
  for (int i = 0; i < 2 * blocks; i++) in[i] = i % 2 == 0 ? out[i] : -1;
  MPI_Sendrecv_replace(in, 1, t, other, 0, other, 0, *world, MPI_STATUS_IGNORE);
}
#if MPI_VERSION >= 4
static void partitioned(void) {
  MPI_Request requests[2];
  MPI_Precv_init(in, 1, 1, t, other, 0, *world, MPI_INFO_NULL, &requests[0]);
  MPI_Psend_init(out, 1, 1, t, other, 0, *world, MPI_INFO_NULL, &requests[1]);
  for (int i = 0; i < 3; i++) {
    MPI_Startall(2, requests);
    MPI_Pready(0, requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}
#endif
static void bcast(void) {
  for (int root = 0; root < 2; root++) MPI_Bcast(root == me ? out : in, 1, t, root, *world);
}
static void ibcast(void) {
  MPI_Request requests[2];
  for (int root = 0; root < 2; root++) MPI_Ibcast(root == me ? out : in, 1, t, root, *world, &requests[root]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
static void gather(void) {
  for (int root = 0; root < 2; root++) MPI_Gather(out, 1, t, plain, blocks, MPI_DOUBLE, root, *world);
  into_place(plain + other * blocks);
}
static void scatter(void) {
  for (int i = 0; i < blocks; i++) plain[i] = plain[blocks + i] = out[2 * i];
  for (int root = 0; root < 2; root++)
    MPI_Scatter(plain, blocks, MPI_DOUBLE, root == me ? out : in, 1, t, root, *world);
}
static void allgather(void) {
  MPI_Allgather(out, 1, t, plain, blocks, MPI_DOUBLE, *world);
  into_place(plain + other * blocks);
}
static void alltoallw(void) {
  const int nowhere[2] = {0, 0}, counts[2] = {other == 0, other == 1};
  const MPI_Datatype types[2] = {t, t};
  MPI_Alltoallw(out, counts, nowhere, types, in, counts, nowhere, types, *world);
}
static void ialltoallw(void) {
  const int nowhere[2] = {0, 0}, counts[2] = {other == 0, other == 1};
  const MPI_Datatype types[2] = {t, t};
  MPI_Request request;
  MPI_Ialltoallw(out, counts, nowhere, types, in, counts, nowhere, types, *world, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void neighbours(int nonblocking) {
  const int one[1] = {1}, neighbour[1] = {other};
  const MPI_Aint here[1] = {0};
  MPI_Comm graph;
  MPI_Request request;
  MPI_Dist_graph_create_adjacent(*world, 1, neighbour, MPI_UNWEIGHTED, 1, neighbour, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &graph);
  if (nonblocking) {
    MPI_Ineighbor_alltoallw(out, one, here, &t, in, one, here, &t, graph, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Neighbor_alltoallw(out, one, here, &t, in, one, here, &t, graph);
  }
  MPI_Comm_free(&graph);
}
static void neighbor_alltoallw(void) { neighbours(0); }
static void ineighbor_alltoallw(void) { neighbours(1); }
static void put(void) {
  MPI_Win_fence(0, window);
  MPI_Put(out, 1, t, other, 0, 1, t, window);
  MPI_Win_fence(0, window);
  memcpy(in, in_window, sizeof in);
}
static void get(void) {
  memcpy(in_window, out, sizeof out);
  MPI_Win_fence(0, window);
  MPI_Get(in, 1, t, other, 0, 1, t, window);
  MPI_Win_fence(0, window);
}
static void accumulate(void) {
  MPI_Win_fence(0, window);
  MPI_Accumulate(out, 1, t, other, 0, 1, t, MPI_REPLACE, window);
  MPI_Win_fence(0, window);
  memcpy(in, in_window, sizeof in);
}

int main(int argc, char** argv) {
  int number = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &pair);
  MPI_Comm_rank(pair, &me);
  other = 1 - me;
  MPI_Win_allocate(sizeof in, sizeof(double), MPI_INFO_NULL, pair, &in_window, &window);
  call("Send", send_recv, number++);
  call("Ssend", ssend, number++);
  call("Rsend", rsend, number++);
  call("Bsend", bsend, number++);
  call("Isend", isend, number++);
  call("Issend", issend, number++);
  call("Send_init", persistent, number++);
  call("Mrecv", mrecv, number++);
  call("Sendrecv", sendrecv, number++);
  call("Sendrecv_replace", sendrecv_replace, number++);
#if MPI_VERSION >= 4
  call("Psend_init", partitioned, number++);
#endif
  call("Bcast", bcast, number++);
  call("Ibcast", ibcast, number++);
  call("Gather", gather, number++);
  call("Scatter", scatter, number++);
  call("Allgather", allgather, number++);
  call("Alltoallw", alltoallw, number++);
  call("Ialltoallw", ialltoallw, number++);
  call("Neighbor_alltoallw", neighbor_alltoallw, number++);
  call("Ineighbor_alltoallw", ineighbor_alltoallw, number++);
  call("Put", put, number++);
  call("Get", get, number++);
  call("Accumulate", accumulate, number++);
  MPI_Win_free(&window);
  MPI_Comm_free(&pair);
  MPI_Finalize();
  return wrong != 0;
}
