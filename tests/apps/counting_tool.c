// Counts what a program sends, packs and makes grids of, in front of Marshal and without it: check_report compares the report with that. It reads
// the words of the calls as the standard gives them, in C, mpif.h and mpi_f08, and asks for the sizes of datatypes. Each process writes "NAME COUNT"
// lines to COUNTS/PID when it ends. Calls with large counts and calls inside others are not counted.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef intptr_t word;

enum { most_names = 64, most_persistent = 4096 };
static struct {
  const char *name;
  long count;
} counts[most_names];
static struct {
  word request;
  long bytes;
} persistent[most_persistent];
static int persistent_count;
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static __thread int depth;
// Exceptions of the program's callbacks pass through calls.
static void leave_call(int *const *inside) { --**inside; }

static void add(const char *name, long more) {
  pthread_mutex_lock(&lock);
  int i = 0;
  while (i < most_names && counts[i].name != NULL && counts[i].name != name) ++i;
  if (i == most_names) abort();
  counts[i].name = name;
  counts[i].count += more;
  pthread_mutex_unlock(&lock);
}

__attribute__((destructor)) static void write_counts(void) {
  char path[4096];
  if (counts[0].name == NULL || getenv("COUNTS") == NULL) return;
  snprintf(path, sizeof path, "%s/%d", getenv("COUNTS"), getpid());
  FILE *const file = fopen(path, "w");
  if (file == NULL) abort();
  for (int i = 0; i < most_names && counts[i].name != NULL; ++i) fprintf(file, "%s %ld\n", counts[i].name, counts[i].count);
  fclose(file);
}

// mpi4py 4 opens the library for itself alone.
static void *of_library(const char *name) {
#ifdef OPEN_MPI
  void *const library = dlopen("libmpi.so.40", RTLD_LAZY | RTLD_NOLOAD);
#else
  void *const library = dlopen("libmpich.so.12", RTLD_LAZY | RTLD_NOLOAD);
#endif
  return library != NULL ? dlsym(library, name) : NULL;
}

static void *next(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (found == NULL) found = of_library(name);
  if (found == NULL) abort();
  return found;
}

// Words of a call: in Fortran all are addresses, and handles are numbers there, in mpi_f08 in a structure.
struct call {
  int fortran;
  const word *words;
};
static int number(struct call call, int i) { return call.fortran ? *(int *)call.words[i] : (int)call.words[i]; }

static MPI_Datatype type_of(struct call call, int i) {
  if (!call.fortran) return (MPI_Datatype)call.words[i];
#ifdef MPI_Type_f2c
  return MPI_Type_f2c(*(int *)call.words[i]);
#else
  return ((MPI_Datatype(*)(MPI_Fint))next("MPI_Type_f2c"))(*(int *)call.words[i]);
#endif
}

// The communicator that a call wrote there.
static MPI_Comm comm_at(struct call call, int i) {
  if (!call.fortran) return *(MPI_Comm *)call.words[i];
#ifdef MPI_Comm_f2c
  return MPI_Comm_f2c(*(int *)call.words[i]);
#else
  return ((MPI_Comm(*)(MPI_Fint))next("MPI_Comm_f2c"))(*(int *)call.words[i]);
#endif
}

static int is_null(MPI_Comm comm) {
#ifdef OPEN_MPI
  const void *null = dlsym(RTLD_DEFAULT, "ompi_mpi_comm_null");  // the program may have a copy
  return comm == (null != NULL ? null : of_library("ompi_mpi_comm_null"));
#else
  return comm == MPI_COMM_NULL;
#endif
}

static long size_of(MPI_Datatype type) {
  int size = 0;
  ((int (*)(MPI_Datatype, int *))next("MPI_Type_size"))(type, &size);
  return size;
}

// A request as it stands in the program: a handle of C, or Fortran's number.
static word request_at(struct call call, int i, int element) {
  return call.fortran ? ((int *)call.words[i])[element] : (word)((MPI_Request *)call.words[i])[element];
}

static void note_message(long bytes) {
  add("messages", 1);
  add("bytes", bytes);
}

static void note_send(struct call call, int count, int type, int rank) {
  if (number(call, rank) >= 0) note_message(number(call, count) * size_of(type_of(call, type)));
}

static void note_set_up(struct call call, int count, int type, int rank, int request) {
  if (number(call, rank) < 0) return;
  const long bytes = number(call, count) * size_of(type_of(call, type));
  pthread_mutex_lock(&lock);
  int i = 0;
  const word made = request_at(call, request, 0);
  while (i < persistent_count && persistent[i].request != made) ++i;
  if (i == most_persistent) abort();
  if (i == persistent_count) ++persistent_count;
  persistent[i].request = made, persistent[i].bytes = bytes;
  pthread_mutex_unlock(&lock);
}

static void forget_request(struct call call) {
  if (call.words[0] == 0) return;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < persistent_count; ++i)
    if (persistent[i].request == request_at(call, 0, 0)) persistent[i] = persistent[--persistent_count];
  pthread_mutex_unlock(&lock);
}

static void note_start(struct call call, int started, int requests) {
  if (call.words[requests] == 0) return;
  pthread_mutex_lock(&lock);
  for (int r = 0; r < started; ++r)
    for (int i = 0; i < persistent_count; ++i)
      if (persistent[i].request == request_at(call, requests, r)) note_message(persistent[i].bytes);
  pthread_mutex_unlock(&lock);
}

// The bytes are what the call moved the position by: a host may pack what fits, and call that success.
static __thread int position_before;
static void note_position(struct call call, int position) {
  if (call.words[position] != 0) position_before = *(int *)call.words[position];
}
static void note_pack(struct call call, const char *name, int position) { add(name, *(int *)call.words[position] - position_before); }

// A grid counts where it is made by its first process. Graphs whose ranks may not move, and grids of no
// dimension, are none in the report.
static void note_grid(struct call call, int comm) {
  int rank = -1;
  const MPI_Comm made = comm_at(call, comm);
  if (is_null(made)) return;
  ((int (*)(MPI_Comm, int *))next("MPI_Comm_rank"))(made, &rank);
  if (rank == 0) add("grids", 1);
}

static void note_graph(struct call call, int reorder, int comm) {
  if (number(call, reorder)) note_grid(call, comm);
}

static void note_cart(struct call call, int dimensions, int comm) {
  if (number(call, dimensions) > 0) note_grid(call, comm);
}

#define WORDS_1 word w0
#define WORDS_2 WORDS_1, word w1
#define WORDS_3 WORDS_2, word w2
#define WORDS_6 WORDS_3, word w3, word w4, word w5
#define WORDS_7 WORDS_6, word w6
#define WORDS_8 WORDS_7, word w7
#define WORDS_9 WORDS_8, word w8
#define WORDS_10 WORDS_9, word w9
#define WORDS_11 WORDS_10, word w10
#define WORDS_12 WORDS_11, word w11
#define WORDS_13 WORDS_12, word w12
#define NAMES_1 w0
#define NAMES_2 NAMES_1, w1
#define NAMES_3 NAMES_2, w2
#define NAMES_6 NAMES_3, w3, w4, w5
#define NAMES_7 NAMES_6, w6
#define NAMES_8 NAMES_7, w7
#define NAMES_9 NAMES_8, w8
#define NAMES_10 NAMES_9, w9
#define NAMES_11 NAMES_10, w10
#define NAMES_12 NAMES_11, w11
#define NAMES_13 NAMES_12, w12

// BEFORE runs before the call, AFTER behind a call that succeeded; both see `call`. PARTS: the arguments in C.
#define ENTRY(symbol, counted, in_fortran, parts, before, after)                                         \
  word counted_##symbol(WORDS_##parts) __asm__(#symbol);                                                 \
  word counted_##symbol(WORDS_##parts) {                                                                 \
    static word (*pass_on)(WORDS_##parts);                                                               \
    if (pass_on == NULL) pass_on = (word(*)(WORDS_##parts))next(#symbol);                                \
    if (depth > 0) return pass_on(NAMES_##parts);                                                        \
    const word words[] = {NAMES_##parts};                                                                \
    const struct call call = {in_fortran, words};                                                        \
    ++depth;                                                                                             \
    int *const inside __attribute__((cleanup(leave_call))) = &depth;                                     \
    add(counted, 1);                                                                                     \
    before;                                                                                              \
    const word result = pass_on(NAMES_##parts);                                                          \
    const int *const error = in_fortran ? (const int *)words[sizeof words / sizeof words[0] - 1] : NULL; \
    if (error != NULL ? *error == MPI_SUCCESS : in_fortran || (int)result == MPI_SUCCESS) {              \
      after;                                                                                             \
    }                                                                                                    \
    return result;                                                                                       \
  }
#define CALL(name, lower, parts, parts_in_fortran, before, after)         \
  ENTRY(MPI_##name, "MPI_" #name, 0, parts, before, after)                \
  ENTRY(mpi_##lower##_, "MPI_" #name, 1, parts_in_fortran, before, after) \
  ENTRY(mpi_##lower##_f08_, "MPI_" #name, 1, parts_in_fortran, before, after)
// mpi_f08 of MPICH hands over choice buffers by other names.
#define BUFFER_CALL(name, lower, parts, parts_in_fortran, before, after) \
  CALL(name, lower, parts, parts_in_fortran, before, after)              \
  ENTRY(mpi_##lower##_f08ts_, "MPI_" #name, 1, parts_in_fortran, before, after)

#define NOTHING (void)call
BUFFER_CALL(Send, send, 6, 7, NOTHING, note_send(call, 1, 2, 3))
BUFFER_CALL(Bsend, bsend, 6, 7, NOTHING, note_send(call, 1, 2, 3))
BUFFER_CALL(Ssend, ssend, 6, 7, NOTHING, note_send(call, 1, 2, 3))
BUFFER_CALL(Rsend, rsend, 6, 7, NOTHING, note_send(call, 1, 2, 3))
BUFFER_CALL(Isend, isend, 7, 8, NOTHING, note_send(call, 1, 2, 3))
BUFFER_CALL(Ibsend, ibsend, 7, 8, NOTHING, note_send(call, 1, 2, 3))
BUFFER_CALL(Issend, issend, 7, 8, NOTHING, note_send(call, 1, 2, 3))
BUFFER_CALL(Irsend, irsend, 7, 8, NOTHING, note_send(call, 1, 2, 3))
BUFFER_CALL(Sendrecv, sendrecv, 12, 13, NOTHING, note_send(call, 1, 2, 3))
BUFFER_CALL(Sendrecv_replace, sendrecv_replace, 9, 10, NOTHING, note_send(call, 1, 2, 3))
BUFFER_CALL(Send_init, send_init, 7, 8, NOTHING, note_set_up(call, 1, 2, 3, 6))
BUFFER_CALL(Bsend_init, bsend_init, 7, 8, NOTHING, note_set_up(call, 1, 2, 3, 6))
BUFFER_CALL(Ssend_init, ssend_init, 7, 8, NOTHING, note_set_up(call, 1, 2, 3, 6))
BUFFER_CALL(Rsend_init, rsend_init, 7, 8, NOTHING, note_set_up(call, 1, 2, 3, 6))
CALL(Start, start, 1, 2, note_start(call, 1, 0), NOTHING)
CALL(Startall, startall, 2, 3, note_start(call, number(call, 0), 1), NOTHING)
CALL(Request_free, request_free, 1, 2, forget_request(call), NOTHING)
BUFFER_CALL(Put, put, 8, 9, NOTHING, note_send(call, 1, 2, 3))
BUFFER_CALL(Get, get, 8, 9, NOTHING, note_send(call, 1, 2, 3))
BUFFER_CALL(Accumulate, accumulate, 9, 10, NOTHING, note_send(call, 1, 2, 3))
BUFFER_CALL(Pack, pack, 7, 8, note_position(call, 5), note_pack(call, "packed_bytes", 5))
BUFFER_CALL(Unpack, unpack, 7, 8, note_position(call, 2), note_pack(call, "unpacked_bytes", 2))
CALL(Cart_create, cart_create, 6, 7, NOTHING, note_cart(call, 1, 5))
CALL(Graph_create, graph_create, 6, 7, NOTHING, note_graph(call, 4, 5))
CALL(Dist_graph_create, dist_graph_create, 9, 10, NOTHING, note_graph(call, 7, 8))
CALL(Dist_graph_create_adjacent, dist_graph_create_adjacent, 10, 11, NOTHING, note_graph(call, 8, 9))
