// Moves datatypes between two ranks by every call, each time with a layout of its own, so that the report tells of each
// call who moved it. Prints "BLOCKS CALL", where its layout has so many blocks, and checks what arrived.
// engine_moves_each_call looks there. CALL_LEFT_OUT names one that a host cannot make. Argument: mixed, for structs
// with gaps and a list of blocks behind them, and some more calls.
//
// cluster: nodes=1 ranks=2 env=MARSHAL_MESSAGES=on
// cluster: nodes=1 ranks=2 env=MARSHAL_MESSAGES=calls env=MARSHAL_PACK=mars
// cluster: nodes=1 ranks=2 args=mixed env=MARSHAL_MESSAGES=on
// cluster: nodes=1 ranks=2 args=mixed env=MARSHAL_MESSAGES=calls env=MARSHAL_PACK=mars
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { least_blocks = 3000, most_blocks = 3100, room = 16 * most_blocks };
static int me, other, blocks, bytes, plain_count, is_mixed, wrong;
static char is_used[room], theirs[room], *in_window;
static _Alignas(16) char out[room], in[room], plain[2 * room];
static MPI_Win window;
static MPI_Comm pair;
static MPI_Datatype t, plain_type;
static const MPI_Comm* const world = &pair;

static void use(int at, int length) {
  memset(is_used + at, 1, (size_t)length);
  bytes += length;
}
static void make_layout(void) {
  memset(is_used, 0, sizeof is_used);
  bytes = 0;
  if (!is_mixed) {
    MPI_Type_vector(blocks, 1, 2, MPI_DOUBLE, &t);
    for (int i = 0; i < blocks; i++) use(16 * i, 8);
  } else {
    static int lengths[most_blocks], places[most_blocks];
    const int counts[3] = {1, 1, 5}, quarter = blocks / 4, parts[2] = {quarter, 1};
    const MPI_Aint at[3] = {0, 8, 21}, part_at[2] = {0, 32 * quarter};
    const MPI_Datatype types[3] = {MPI_INT, MPI_DOUBLE, MPI_CHAR};
    MPI_Datatype one, both[2];
    MPI_Type_create_struct(3, counts, at, types, &one);
    MPI_Type_create_resized(one, 0, 32, &both[0]);
    for (int i = 0; i < quarter; i++) {
      use(32 * i, 4), use(32 * i + 8, 8), use(32 * i + 21, 5);
      lengths[i] = i % 4, places[i] = 4 * i + i % 2, use((int)part_at[1] + 8 * places[i], 8 * lengths[i]);
    }
    MPI_Type_indexed(quarter, lengths, places, MPI_DOUBLE, &both[1]);
    MPI_Type_create_struct(2, parts, part_at, both, &t);
    MPI_Type_free(&one);
    for (int i = 0; i < 2; i++) MPI_Type_free(&both[i]);
  }
  MPI_Type_commit(&t);
  plain_type = is_mixed ? MPI_BYTE : MPI_DOUBLE;
  plain_count = is_mixed ? bytes : blocks;
}

typedef void Call(void);
static void call(const char* name, Call* run, int from) {
  const char* const left_out = getenv("CALL_LEFT_OUT");
  if (left_out != NULL && strcmp(left_out, name) == 0) return;
  blocks = least_blocks + from;
  make_layout();
  for (int i = 0; i < room; i++) out[i] = (char)(7 * i + i / 256 + me), theirs[i] = (char)(out[i] - me + other);
  memset(in, 0x55, room);
  memset(in_window, 0x55, room);
  MPI_Barrier(*world);
  run();
  MPI_Barrier(*world);
  for (int i = 0; i < room; i++)
    if (in[i] != (is_used[i] ? theirs[i] : 0x55)) {
      printf("rank %d: %s: byte %d is %d\n", me, name, i, in[i]);
      wrong++;
      break;
    }
  if (me == 0) printf("%d %s\n", blocks, name);
  MPI_Type_free(&t);
}

// From the other's bytes to `in`, or from this one's to bytes, where a call has a datatype on one side only.
static void into_place(const char* packed) {
  for (int i = 0; i < room; i++)
    if (is_used[i]) in[i] = *packed++;
}

typedef int Send(const void*, int, MPI_Datatype, int, int, MPI_Comm);
static void in_turn(Send* send) {
  if (me == 0) send(out, 1, t, other, 0, *world);
  MPI_Recv(in, 1, t, other, 0, *world, MPI_STATUS_IGNORE);
  if (me == 1) send(out, 1, t, other, 0, *world);
}
static void send_recv(void) { in_turn(MPI_Send); }
static void ssend(void) { in_turn(MPI_Ssend); }
static void rsend(void) {
  MPI_Request request;
  MPI_Irecv(in, 1, t, other, 0, *world, &request);
  MPI_Barrier(*world);
  MPI_Rsend(out, 1, t, other, 0, *world);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void bsend(void) {
  int size;
  MPI_Pack_size(1, t, *world, &size);
  void* buffer = malloc((size_t)size + MPI_BSEND_OVERHEAD);
  MPI_Buffer_attach(buffer, size + MPI_BSEND_OVERHEAD);
  MPI_Bsend(out, 1, t, other, 0, *world);
  MPI_Recv(in, 1, t, other, 0, *world, MPI_STATUS_IGNORE);
  MPI_Buffer_detach(&buffer, &size);
  free(buffer);
}
typedef int Begin(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
static void at_once(Begin* send) {
  MPI_Request requests[2];
  MPI_Irecv(in, 1, t, other, 0, *world, &requests[0]);
  MPI_Barrier(*world);
  send(out, 1, t, other, 0, *world, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
static void isend(void) { at_once(MPI_Isend); }
static void issend(void) { at_once(MPI_Issend); }
static void irsend(void) { at_once(MPI_Irsend); }
static void from_bottom(void) {
  const int one = 1;
  MPI_Aint places[2];
  MPI_Datatype absolute[2];
  MPI_Get_address(out, &places[0]);
  MPI_Get_address(in, &places[1]);
  for (int i = 0; i < 2; i++) {
    MPI_Type_create_hindexed(1, &one, &places[i], t, &absolute[i]);
    MPI_Type_commit(&absolute[i]);
  }
  MPI_Sendrecv(MPI_BOTTOM, 1, absolute[0], other, 0, MPI_BOTTOM, 1, absolute[1], other, 0, *world, MPI_STATUS_IGNORE);
  for (int i = 0; i < 2; i++) MPI_Type_free(&absolute[i]);
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
  for (int i = 0; i < room; i++) in[i] = is_used[i] ? out[i] : 0x55;
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
  for (int root = 0; root < 2; root++) MPI_Gather(out, 1, t, plain, plain_count, plain_type, root, *world);
  into_place(plain + other * bytes);
}
static void scatter(void) {
  for (int i = 0, at = 0; i < room; i++)
    if (is_used[i]) plain[at] = plain[bytes + at] = out[i], at++;
  for (int root = 0; root < 2; root++)
    MPI_Scatter(plain, plain_count, plain_type, root == me ? out : in, 1, t, root, *world);
}
static void allgather(void) {
  MPI_Allgather(out, 1, t, plain, plain_count, plain_type, *world);
  into_place(plain + other * bytes);
}
static void all_to_all(int nonblocking) {
  const int nowhere[2] = {0, 0}, counts[2] = {other == 0, other == 1};
  const MPI_Datatype types[2] = {t, t};
  MPI_Request request = MPI_REQUEST_NULL;
  if (nonblocking)
    MPI_Ialltoallw(out, counts, nowhere, types, in, counts, nowhere, types, *world, &request);
  else
    MPI_Alltoallw(out, counts, nowhere, types, in, counts, nowhere, types, *world);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void alltoallw(void) { all_to_all(0); }
static void ialltoallw(void) { all_to_all(1); }
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
  is_mixed = argc > 1;
  MPI_Comm_dup(MPI_COMM_WORLD, &pair);
  MPI_Comm_rank(pair, &me);
  other = 1 - me;
  MPI_Win_allocate(sizeof in, 1, MPI_INFO_NULL, pair, &in_window, &window);
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
  if (!is_mixed) {
    call("Accumulate", accumulate, number++);  // it takes elements of one type alone
  } else {
    call("Irsend", irsend, number++);
    call("Sendrecv of MPI_BOTTOM", from_bottom, number++);
  }
  MPI_Win_free(&window);
  MPI_Comm_free(&pair);
  MPI_Finalize();
  return wrong != 0;
}
