/* A library that a program opens late, as python opens the wheels of mpi4py: its references to calls that the MPI library
 * may lack are weak, and where one is null it makes the older call. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_processes = 8, requests = 300 };

/* Under names of its own: the host's mpi.h may declare them. */
#define WEAK(name) extern int large_##name() __asm__("MPI_" #name "_c") __attribute__((weak));
#define N(number) ((int64_t)(number))
/* The call with large numbers or the same with ints; `...` has them as N(…). */
#define MAKE(name, ...) check((large_##name ? large_##name(__VA_ARGS__) : MPI_##name(__VA_ARGS__)) == MPI_SUCCESS, #name)

WEAK(Send) WEAK(Recv) WEAK(Sendrecv) WEAK(Isend) WEAK(Irecv) WEAK(Send_init)
WEAK(Bcast) WEAK(Allreduce) WEAK(Gather) WEAK(Gatherv) WEAK(Scatterv) WEAK(Allgather) WEAK(Allgatherv) WEAK(Alltoall)
WEAK(Alltoallv) WEAK(Alltoallw) WEAK(Ialltoallv) WEAK(Reduce_scatter) WEAK(Neighbor_alltoallv) WEAK(Neighbor_alltoallw)
WEAK(Type_contiguous) WEAK(Type_vector) WEAK(Type_indexed) WEAK(Type_create_struct) WEAK(Type_create_subarray)
WEAK(Pack) WEAK(Unpack) WEAK(Pack_size) WEAK(Op_create) WEAK(Win_create) WEAK(Put)
WEAK(File_write_at) WEAK(File_read_at)
extern int weak_Session_init() __asm__("MPI_Session_init") __attribute__((weak));

static int failed, rank, size;
static void check(int right, const char* what) {
  if (!right) printf("rank %d: MPI_%s_c\n", rank, what);
  failed |= !right;
}

/* An array of `n` numbers, as the call of that name has them. */
#define NUMBERS(name, n, value)                              \
  int64_t large_of_##name[16];                               \
  int small_of_##name[16];                                   \
  for (int k = 0; k < (n); ++k) large_of_##name[k] = small_of_##name[k] = (value)
#define OF(call, name) (large_##call ? (void*)large_of_##name : (void*)small_of_##name)

static void messages(void) {
  const int next = (rank + 1) % size, last = (rank + size - 1) % size;
  int sent = rank, got = -1;
  MPI_Request pair[2], again;
  MAKE(Irecv, &got, N(1), MPI_INT, last, 1, MPI_COMM_WORLD, &pair[0]);
  MAKE(Isend, &sent, N(1), MPI_INT, next, 1, MPI_COMM_WORLD, &pair[1]);
  MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
  check(got == last, "Isend");
  MAKE(Sendrecv, &sent, N(1), MPI_INT, next, 2, &got, N(1), MPI_INT, last, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MAKE(Send_init, &sent, N(1), MPI_INT, next, 3, MPI_COMM_WORLD, &again);
  for (int i = 0; i < 3; ++i) {
    MPI_Start(&again);
    got = -1;
    MAKE(Recv, &got, N(1), MPI_INT, last, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&again, MPI_STATUS_IGNORE);
    check(got == last, "Send_init");
  }
  MPI_Request_free(&again);
  if (rank == 0) MAKE(Send, &sent, N(1), MPI_INT, size - 1, 4, MPI_COMM_WORLD);
  if (rank == size - 1) MAKE(Recv, &got, N(1), MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void collectives(void) {
  int one = rank == 0 ? 9 : 0, all = -1, each[most_processes] = {0}, mine[most_processes];
  MPI_Datatype types[most_processes];
  NUMBERS(ones, size, 1);
  NUMBERS(places, size, k);
  NUMBERS(bytes, size, (int)sizeof(int) * k);
  for (int i = 0; i < size; ++i) mine[i] = 100 * rank + i, types[i] = MPI_INT;
  MAKE(Bcast, &one, N(1), MPI_INT, 0, MPI_COMM_WORLD);
  check(one == 9, "Bcast");
  MAKE(Allreduce, &rank, &all, N(1), MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check(all == size * (size - 1) / 2, "Allreduce");
  MAKE(Gather, &rank, N(1), MPI_INT, each, N(1), MPI_INT, size - 1, MPI_COMM_WORLD);
  check(rank != size - 1 || each[size - 1] == size - 1, "Gather");
  /* What is not significant is no memory. */
  void* const nowhere = (void*)16;
  volatile const int64_t not_read = (int64_t)1 << 40;
  MAKE(Gatherv, &rank, N(1), MPI_INT, each, rank == 0 ? OF(Gatherv, ones) : nowhere, rank == 0 ? OF(Gatherv, places) : nowhere,
       MPI_INT, 0, MPI_COMM_WORLD);
  check(rank != 0 || each[size - 1] == size - 1, "Gatherv");
  MAKE(Scatterv, mine, rank == 0 ? OF(Scatterv, ones) : nowhere, rank == 0 ? OF(Scatterv, places) : nowhere, MPI_INT, &one,
       N(1), MPI_INT, 0, MPI_COMM_WORLD);
  check(one == rank, "Scatterv");
  MAKE(Allgather, &rank, N(1), MPI_INT, each, N(1), MPI_INT, MPI_COMM_WORLD);
  check(each[size - 1] == size - 1, "Allgather");
  MAKE(Allgatherv, MPI_IN_PLACE, not_read, MPI_INT, each, OF(Allgatherv, ones), OF(Allgatherv, places), MPI_INT,
       MPI_COMM_WORLD);
  MAKE(Alltoall, mine, N(1), MPI_INT, each, N(1), MPI_INT, MPI_COMM_WORLD);
  check(each[size - 1] == 100 * (size - 1) + rank, "Alltoall");
  MAKE(Alltoallv, mine, OF(Alltoallv, ones), OF(Alltoallv, places), MPI_INT, each, OF(Alltoallv, ones), OF(Alltoallv, places),
       MPI_INT, MPI_COMM_WORLD);
  check(each[size - 1] == 100 * (size - 1) + rank, "Alltoallv");
  MAKE(Alltoallv, MPI_IN_PLACE, nowhere, nowhere, MPI_INT, each, OF(Alltoallv, ones), OF(Alltoallv, places), MPI_INT,
       MPI_COMM_WORLD);
  MAKE(Alltoallw, mine, OF(Alltoallw, ones), OF(Alltoallw, bytes), types, each, OF(Alltoallw, ones), OF(Alltoallw, bytes),
       types, MPI_COMM_WORLD);
  check(each[size - 1] == 100 * (size - 1) + rank, "Alltoallw");
  one = -1;
  MAKE(Reduce_scatter, mine, &one, OF(Reduce_scatter, ones), MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check(one == 50 * size * (size - 1) + size * rank, "Reduce_scatter");
}

/* Many at once, each with arrays that are other memory as soon as the call has returned. They end in any order. */
static void nonblocking(void) {
  static MPI_Request open[requests];
  static int got[requests][most_processes], sent[most_processes];
  int index;
  for (int i = 0; i < size; ++i) sent[i] = 100 * rank + i;
  for (int i = 0; i < requests; ++i) {
    NUMBERS(ones, size, 1);
    NUMBERS(places, size, k);
    MAKE(Ialltoallv, sent, OF(Ialltoallv, ones), OF(Ialltoallv, places), MPI_INT, got[i], OF(Ialltoallv, ones),
         OF(Ialltoallv, places), MPI_INT, MPI_COMM_WORLD, &open[i]);
    memset(large_of_ones, 0x77, sizeof large_of_ones);
  }
  MPI_Waitany(requests, open, &index, MPI_STATUS_IGNORE);
  MPI_Waitall(requests, open, MPI_STATUSES_IGNORE);
  for (int i = 0; i < requests; ++i) check(got[i][size - 1] == 100 * (size - 1) + rank, "Ialltoallv");
}

static void neighbours(void) {
  const int periodic = 1;
  const MPI_Datatype types[] = {MPI_INT, MPI_INT};
  const MPI_Aint places[] = {0, sizeof(int)};
  int sent[] = {10 * rank, 10 * rank + 1}, got[] = {-1, -1};
  MPI_Comm ring;
  NUMBERS(ones, 2, 1);
  NUMBERS(displs, 2, k);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  MAKE(Neighbor_alltoallv, sent, OF(Neighbor_alltoallv, ones), OF(Neighbor_alltoallv, displs), MPI_INT, got,
       OF(Neighbor_alltoallv, ones), OF(Neighbor_alltoallv, displs), MPI_INT, ring);
  check(got[0] >= 0 && got[1] >= 0, "Neighbor_alltoallv");
  MAKE(Neighbor_alltoallw, sent, OF(Neighbor_alltoallw, ones), places, types, got, OF(Neighbor_alltoallw, ones), places,
       types, ring);
  MPI_Comm_free(&ring);
}

static void types(void) {
  MPI_Datatype type[5];
  const MPI_Datatype parts[] = {MPI_INT, MPI_CHAR};
  const MPI_Aint at[] = {0, 4};
  int bytes;
  NUMBERS(lengths, 2, k + 1);
  NUMBERS(places, 2, 4 * k);
  NUMBERS(sizes, 2, 8);
  NUMBERS(starts, 2, 1);
  MAKE(Type_contiguous, N(4), MPI_INT, &type[0]);
  MAKE(Type_vector, N(3), N(2), N(5), MPI_INT, &type[1]);
  MAKE(Type_indexed, N(2), OF(Type_indexed, lengths), OF(Type_indexed, places), MPI_INT, &type[2]);
  MAKE(Type_create_struct, N(2), OF(Type_create_struct, lengths), large_Type_create_struct ? (void*)large_of_places : (void*)at,
       parts, &type[3]);
  MAKE(Type_create_subarray, 2, OF(Type_create_subarray, sizes), OF(Type_create_subarray, lengths),
       OF(Type_create_subarray, starts), MPI_ORDER_C, MPI_INT, &type[4]);
  static const int expected[] = {16, 24, 12, 6, 8};
  for (int i = 0; i < 5; ++i) {
    MPI_Type_size(type[i], &bytes);
    check(bytes == expected[i], "Type_create");
    MPI_Type_free(&type[i]);
  }
}

static void packing(void) {
  char packed[64];
  int numbers[] = {1, 2, 3}, got[3] = {0}, small = 0;
  int64_t large = 0;
  MAKE(Pack, numbers, N(3), MPI_INT, packed, N(64), large_Pack ? (void*)&large : (void*)&small, MPI_COMM_WORLD);
  check(large_Pack ? large == 12 : small == 12, "Pack");
  large = small = 0;
  MAKE(Unpack, packed, N(64), large_Unpack ? (void*)&large : (void*)&small, got, N(3), MPI_INT, MPI_COMM_WORLD);
  check(got[2] == 3, "Unpack");
  large = -1;
  MAKE(Pack_size, N(3), MPI_INT, MPI_COMM_WORLD, large_Pack_size ? (void*)&large : (void*)&small);
  check(large_Pack_size ? large >= 12 && large < 100 : small >= 12, "Pack_size");
}

static int64_t reduced;
static void add_large(int* in, int* inout, int64_t* length, MPI_Datatype* type) {
  reduced += *length;
  for (int64_t k = 0; *type == MPI_INT && k < *length; ++k) inout[k] += in[k];
}
static void add(void* in, void* inout, int* length, MPI_Datatype* type) {
  int64_t large = *length;
  add_large(in, inout, &large, type);
}

/* One behind the other: there are places for 64 at once. */
static void operations(int count) {
  for (int i = 0; i < count; ++i) {
    int sum[] = {-1, -1}, mine[] = {rank, 1};
    MPI_Op op;
    MAKE(Op_create, large_Op_create ? (void*)add_large : (void*)add, 1, &op);
    MPI_Allreduce(mine, sum, 2, MPI_INT, op, MPI_COMM_WORLD);
    check(sum[0] == size * (size - 1) / 2 && sum[1] == size, "Op_create");
    MPI_Op_free(&op);
  }
}

static void windows_and_files(void) {
  int memory[2] = {-1, -1}, written = rank, got = -1;
  MPI_Win window;
  MPI_File file;
  MAKE(Win_create, memory, (MPI_Aint)sizeof memory, N(sizeof(int)), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MAKE(Put, &rank, N(1), MPI_INT, (rank + 1) % size, (MPI_Aint)1, N(1), MPI_INT, window);
  MPI_Win_fence(0, window);
  check(memory[0] == -1 && memory[1] == (rank + size - 1) % size, "Put");
  MPI_Win_free(&window);
  if (MPI_File_open(MPI_COMM_WORLD, "a_file", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file)) return;
  MAKE(File_write_at, file, (MPI_Offset)4 * rank, &written, N(1), MPI_INT, MPI_STATUS_IGNORE);
  MAKE(File_read_at, file, (MPI_Offset)4 * rank, &got, N(1), MPI_INT, MPI_STATUS_IGNORE);
  check(got == rank, "File_read_at");
  MPI_File_close(&file);
}

/* Returns whether something failed. `under_marshal`: all calls are there. */
int late_calls(int under_marshal, int operation_count) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  check(!under_marshal || (large_Send && large_Alltoallw && weak_Session_init), "calls are not there:");
  messages();
  collectives();
  nonblocking();
  neighbours();
  types();
  packing();
  operations(operation_count);
  windows_and_files();
  return failed;
}
