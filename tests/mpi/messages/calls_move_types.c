// Every call that moves a datatype moves it right: columns of 24 bytes, structs with gaps, and a list of blocks.
// The bytes that must arrive are reckoned here, by loops.
//
// cluster: nodes=1 ranks=2 env=MARSHAL_MESSAGES=auto
// cluster: nodes=1 ranks=2 env=MARSHAL_MESSAGES=on
// cluster: nodes=1 ranks=2 env=MARSHAL_MESSAGES=calls env=MARSHAL_PACK=mars
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { blocks = 3000, room = 64 * blocks };
static int me, other, wrong;
static unsigned char *from, *to, *expected, *packed, *theirs;

// The blocks of a type, of `count` instances.
typedef struct {
  const char* name;
  MPI_Datatype type;
  int count;
  long n, offset[4 * blocks], length[4 * blocks], size;
} Layout;

static void add(Layout* l, long offset, long length) {
  if (length == 0) return;
  l->offset[l->n] = offset;
  l->length[l->n++] = length;
  l->size += length;
}

static void gather(const Layout* l, const unsigned char* user, unsigned char* out) {
  for (long i = 0; i < l->n; out += l->length[i++]) memcpy(out, user + l->offset[i], l->length[i]);
}
static void scatter(const Layout* l, const unsigned char* in, unsigned char* user, long bytes) {
  for (long i = 0; i < l->n && bytes > 0; bytes -= l->length[i], in += l->length[i], i++)
    memcpy(user + l->offset[i], in, l->length[i]);
}

static void columns(Layout* l) {
  l->name = "columns";
  l->count = 1;
  MPI_Type_vector(blocks, 3, 8, MPI_DOUBLE, &l->type);
  for (long i = 0; i < blocks; i++) add(l, 64 * i, 24);
}
static void structs(Layout* l, int count) {
  l->name = "structs";
  l->count = count;
  const int lengths[3] = {1, 1, 5};
  const MPI_Aint places[3] = {0, 8, 21};
  const MPI_Datatype types[3] = {MPI_INT, MPI_DOUBLE, MPI_CHAR};
  MPI_Datatype packed_struct;
  MPI_Type_create_struct(3, lengths, places, types, &packed_struct);
  MPI_Type_create_resized(packed_struct, 0, 64, &l->type);
  MPI_Type_free(&packed_struct);
  for (long i = 0; i < count; i++)
    for (int k = 0; k < 3; k++) add(l, 64 * i + places[k], k == 0 ? 4 : k == 1 ? 8 : 5);
}
static void list(Layout* l) {
  l->name = "list";
  l->count = 1;
  static int lengths[blocks], places[blocks];
  for (int i = 0; i < blocks; i++) {
    lengths[i] = i % 4;
    places[i] = 8 * i + i % 3;
    add(l, 8L * places[i], 8L * lengths[i]);
  }
  MPI_Type_indexed(blocks, lengths, places, MPI_DOUBLE, &l->type);
}

static void begin(const Layout* l) {
  memset(to, 0x55, room);
  memset(expected, 0x55, room);
  scatter(l, theirs, expected, l->size);
}
static void end(const Layout* l, const char* call) {
  if (memcmp(to, expected, room) == 0) return;
  printf("rank %d: %s by %s: other bytes\n", me, l->name, call);
  wrong++;
}
static void expect(int condition, const Layout* l, const char* call) {
  if (condition) return;
  printf("rank %d: %s by %s: another count\n", me, l->name, call);
  wrong++;
}

// Each exchanges instances of the layout with the other rank.

static void use_sendrecv(const Layout* l) {
  const MPI_Datatype t = l->type;
  const int n = l->count;
  MPI_Status status;
  int count;
  begin(l);
  MPI_Sendrecv(from, n, t, other, 1, to, n, t, other, 1, MPI_COMM_WORLD, &status);
  end(l, "Sendrecv");
  MPI_Get_count(&status, t, &count);
  expect(count == n, l, "Sendrecv");
}

static void use_modes(const Layout* l) {
  const MPI_Comm world = MPI_COMM_WORLD;
  const MPI_Datatype t = l->type;
  const int n = l->count;
  MPI_Request requests[2];
  for (int mode = 0; mode < 3; mode++) {
    begin(l);
    MPI_Irecv(to, n, t, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &requests[0]);
    MPI_Barrier(world);
    if (mode == 0) MPI_Issend(from, n, t, other, 2, world, &requests[1]);
    if (mode == 1) MPI_Irsend(from, n, t, other, 2, world, &requests[1]);
    if (mode == 2) MPI_Isend(from, n, t, other, 2, world, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    end(l, "Issend, Irsend or Isend");
  }
}

static void use_bsend(const Layout* l) {
  const MPI_Comm world = MPI_COMM_WORLD;
  const MPI_Datatype t = l->type;
  const int n = l->count;
  int count;
  begin(l);
  MPI_Pack_size(n, t, world, &count);
  void* buffer = malloc(count + MPI_BSEND_OVERHEAD);
  MPI_Buffer_attach(buffer, count + MPI_BSEND_OVERHEAD);
  MPI_Bsend(from, n, t, other, 3, world);
  MPI_Recv(to, n, t, other, 3, world, MPI_STATUS_IGNORE);
  MPI_Buffer_detach(&buffer, &count);
  free(buffer);
  end(l, "Bsend");
}

static void use_persistent_requests(const Layout* l) {
  const MPI_Comm world = MPI_COMM_WORLD;
  const MPI_Datatype t = l->type;
  const int n = l->count;
  MPI_Request requests[2];
  MPI_Recv_init(to, n, t, other, 4, world, &requests[0]);
  MPI_Send_init(from, n, t, other, 4, world, &requests[1]);
  for (int turn = 0; turn < 4; turn++) {
    begin(l);
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    end(l, "persistent requests");
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void use_mprobe(const Layout* l) {
  const MPI_Comm world = MPI_COMM_WORLD;
  const MPI_Datatype t = l->type;
  const int n = l->count;
  MPI_Request request;
  MPI_Status status;
  int count;
  begin(l);
  MPI_Isend(from, n, t, other, 5, world, &request);
  MPI_Message message;
  MPI_Mprobe(other, 5, world, &message, &status);
  MPI_Get_count(&status, t, &count);
  expect(count == n, l, "Mprobe");
  MPI_Mrecv(to, n, t, &message, &status);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  end(l, "Mrecv");
}

// Shorter than the receive that waits for it.
static void use_shorter_send(const Layout* l) {
  const MPI_Comm world = MPI_COMM_WORLD;
  const MPI_Datatype t = l->type;
  const int n = l->count;
  MPI_Request request;
  MPI_Status status;
  int count;
  if (n == 1) return;
  memset(to, 0x55, room);
  memset(expected, 0x55, room);
  scatter(l, theirs, expected, l->size / n * (n / 2));
  MPI_Irecv(to, n, t, other, 6, world, &request);
  MPI_Send(from, n / 2, t, other, 6, world);
  MPI_Wait(&request, &status);
  MPI_Get_count(&status, t, &count);
  expect(count == n / 2, l, "a shorter Send");
  end(l, "a shorter Send");
}

// A side without gaps. MPICH's own receivers cannot take that (its pull request 6796), so this needs Marshal there.
static void use_bytes(const Layout* l) {
  const MPI_Comm world = MPI_COMM_WORLD;
  const MPI_Datatype t = l->type;
  const int n = l->count, bytes = (int)l->size;
  MPI_Request request;
  unsigned char* plain = malloc(bytes);
  MPI_Irecv(plain, bytes, MPI_BYTE, other, 7, world, &request);
  MPI_Send(from, n, t, other, 7, world);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect(memcmp(plain, theirs, bytes) == 0, l, "Send to bytes");
  begin(l);
  MPI_Irecv(to, n, t, other, 8, world, &request);
  MPI_Send(packed, bytes, MPI_BYTE, other, 8, world);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  end(l, "Send of bytes");
  free(plain);
}

static void use_sendrecv_replace(const Layout* l) {
  memcpy(to, from, room);
  memcpy(expected, from, room);
  scatter(l, theirs, expected, l->size);
  MPI_Sendrecv_replace(to, l->count, l->type, other, 9, other, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  end(l, "Sendrecv_replace");
}

static void use_bcast(const Layout* l) {
  memcpy(to, from, room);
  memcpy(expected, from, room);
  if (me == 1) scatter(l, theirs, expected, l->size);
  MPI_Bcast(to, l->count, l->type, 0, MPI_COMM_WORLD);
  end(l, "Bcast");
}

static void use_alltoallw(const Layout* l) {
  const MPI_Comm world = MPI_COMM_WORLD;
  const MPI_Datatype types[2] = {l->type, l->type};
  begin(l);
  const int none[2] = {0, 0};
  int counts[2] = {0, 0};
  counts[other] = l->count;
  MPI_Alltoallw(from, counts, none, types, to, counts, none, types, world);
  end(l, "Alltoallw");

  begin(l);
  const int sources[1] = {other};
  MPI_Comm pair;
  MPI_Dist_graph_create_adjacent(world, 1, sources, MPI_UNWEIGHTED, 1, sources, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &pair);
  const int all[1] = {l->count};
  const MPI_Aint here[1] = {0};
  MPI_Neighbor_alltoallw(from, all, here, types, to, all, here, types, pair);
  MPI_Comm_free(&pair);
  end(l, "Neighbor_alltoallw");
}

// The first half as bytes, the second as the type.
static void use_gather(const Layout* l) {
  const int bytes = (int)l->size;
  unsigned char* everybodys = malloc(2L * bytes);
  MPI_Gather(from, l->count, l->type, everybodys, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (me == 0)
    expect(memcmp(everybodys, packed, bytes) == 0 && memcmp(everybodys + bytes, theirs, bytes) == 0, l, "Gather");
  free(everybodys);
}

static void use_window(const Layout* l) {
  const MPI_Datatype t = l->type;
  const int n = l->count;
  MPI_Win window;
  unsigned char* shared;
  MPI_Win_allocate(room, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &window);
  memset(shared, 0x55, room);
  begin(l);
  MPI_Win_fence(0, window);
  MPI_Put(from, n, t, other, 0, n, t, window);
  MPI_Win_fence(0, window);
  memcpy(to, shared, room);
  end(l, "Put");
  memset(to, 0x55, room);
  memset(expected, 0x55, room);
  scatter(l, packed, expected, l->size);
  MPI_Get(to, n, t, other, 0, n, t, window);
  MPI_Win_fence(0, window);
  end(l, "Get");
  MPI_Win_free(&window);
}

static void use_type_freed_under_way(const Layout* l) {
  const MPI_Comm world = MPI_COMM_WORLD;
  const int n = l->count;
  MPI_Request requests[2];
  begin(l);
  MPI_Datatype dup, next;
  MPI_Type_dup(l->type, &dup);
  MPI_Irecv(to, n, dup, other, 10, world, &requests[0]);
  MPI_Issend(from, n, dup, other, 10, world, &requests[1]);
  MPI_Type_free(&dup);
  MPI_Type_vector(5, 2, 7, MPI_INT, &next);
  MPI_Type_commit(&next);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Type_free(&next);
  end(l, "a type freed under way");
}

// From the beginning of memory.
static void use_bottom(const Layout* l) {
  begin(l);
  MPI_Aint places[2];
  MPI_Get_address(from, &places[0]);
  MPI_Get_address(to, &places[1]);
  MPI_Datatype absolute[2];
  for (int i = 0; i < 2; i++) {
    MPI_Type_create_hindexed(1, &l->count, &places[i], l->type, &absolute[i]);
    MPI_Type_commit(&absolute[i]);
  }
  MPI_Sendrecv(MPI_BOTTOM, 1, absolute[0], other, 11, MPI_BOTTOM, 1, absolute[1], other, 11, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 0; i < 2; i++) MPI_Type_free(&absolute[i]);
  end(l, "MPI_BOTTOM");
}

static void use(const Layout* l) {
  gather(l, from, packed);
  // The other rank's memory differs from this one's by its number alone.
  for (long i = 0; i < room; i++) expected[i] = (unsigned char)(from[i] - me + other);
  gather(l, expected, theirs);
  use_sendrecv(l);
  use_modes(l);
  use_bsend(l);
  use_persistent_requests(l);
  use_mprobe(l);
  use_shorter_send(l);
  use_bytes(l);
  use_sendrecv_replace(l);
  use_bcast(l);
  use_alltoallw(l);
  use_gather(l);
  use_window(l);
  use_type_freed_under_way(l);
  use_bottom(l);
}

// The same elements in blocks of other lengths on the two sides: fragments may end wherever the sender's blocks do.
static void other_blocks(void) {
  MPI_Datatype threes, fives;
  MPI_Type_vector(5 * 400, 3, 7, MPI_DOUBLE, &threes);
  PMPI_Type_vector(3 * 400, 5, 6, MPI_DOUBLE, &fives);
  MPI_Type_commit(&threes);
  PMPI_Type_commit(&fives);  // which Marshal does not see
  double *a = malloc(8 * 7 * 2000), *b = malloc(8 * 6 * 1200);
  for (int way = 0; way < 2; way++) {
    const MPI_Datatype sent = way == 0 ? threes : fives, received = way == 0 ? fives : threes;
    const int in = way == 0 ? 3 : 5, apart = way == 0 ? 7 : 6, into = way == 0 ? 5 : 3, every = way == 0 ? 6 : 7;
    double *send = way == 0 ? a : b, *receive = way == 0 ? b : a;
    for (int i = 0; i < 6000; i++) send[i / in * apart + i % in] = i + 0.25 * me;
    memset(receive, 0, way == 0 ? 8 * 6 * 1200 : 8 * 7 * 2000);
    MPI_Sendrecv(send, 1, sent, other, 12, receive, 1, received, other, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 6000; i++)
      if (receive[i / into * every + i % into] != i + 0.25 * other) {
        printf("rank %d: blocks of %d received in blocks of %d: element %d is wrong\n", me, in, into, i);
        wrong++;
        break;
      }
  }
  free(a), free(b);
  MPI_Type_free(&threes);
  MPI_Type_free(&fives);
}

// The host converts: its pipeline is entered, but what comes out has other bytes than the memory.
static void converted(const Layout* columns) {
  double* back = calloc(1, room);
  char* there = malloc(columns->size);
  MPI_Aint position = 0;
  MPI_Pack_external("external32", from, 1, columns->type, there, columns->size, &position);
  int right = position == columns->size;
  for (long i = 0, at = 0; i < columns->n; i++)
    for (long k = 0; k < columns->length[i]; k++, at++)
      right &= (unsigned char)there[at - at % 8 + 7 - at % 8] == from[columns->offset[i] + k];
  position = 0;
  MPI_Unpack_external("external32", there, columns->size, &position, back, 1, columns->type);
  gather(columns, (unsigned char*)back, to);
  gather(columns, from, packed);
  expect(right && memcmp(to, packed, columns->size) == 0, columns, "Pack_external");
  free(back), free(there);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  other = 1 - me;
  from = malloc(room), to = malloc(room), expected = malloc(room), packed = malloc(room), theirs = malloc(room);
  for (long i = 0; i < room; i++) from[i] = (unsigned char)(i * 7 + i / 256 + me);
  Layout* layouts[5];
  for (int i = 0; i < 5; i++) layouts[i] = calloc(1, sizeof(Layout));
  columns(layouts[0]);
  structs(layouts[1], blocks);
  structs(layouts[2], 5);
  list(layouts[3]);
  for (int i = 0; i < 4; i++) {
    MPI_Type_commit(&layouts[i]->type);
    use(layouts[i]);
    if (i == 0) converted(layouts[i]);
    MPI_Type_free(&layouts[i]->type);
  }
  other_blocks();
  printf("rank %d: %d wrong\n", me, wrong);
  for (int i = 0; i < 5; i++) free(layouts[i]);
  MPI_Finalize();
  return wrong != 0;
}
