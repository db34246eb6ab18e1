// The arguments of the calls: for each argument of a row of wrappers/entry/calls.table a right value, and some values
// that are wrong or at the edge. Arguments are machine words, as in Marshal's own entry points, so calls that the
// host's mpi.h lacks need no declaration.
#pragma once

#include <limits.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef uintptr_t Word;
enum { most_arguments = 13, slot_bytes = 16384, most_values = 8 };

struct Row {
  const char *name, *part;
  int count;
  struct {
    const char *name, *kind;
  } arguments[most_arguments];
};

// Objects and facts of this process, once.
static struct {
  int rank, size, root;
  int place;  // what tells this process from the others: its rank, in the grid where there is one
  MPI_Comm comm, grid;
  MPI_Group group;
  MPI_Win window;
  MPI_File file;
  MPI_Datatype gaps, not_committed;
  MPI_Errhandler of_comms, of_windows, of_files;  // in force
  Word session;
  char in_window[4096];
} own;

// Memory that arguments point to, one slot for each.
static _Alignas(64) char slots[most_arguments][slot_bytes];

static int fill_of(int i) { return (0x11 * (i + 1)) ^ own.place; }

static int is(const char* text, const char* list) {  // list: words between spaces
  const size_t n = strlen(text);
  for (const char* at = list; (at = strstr(at, text)) != NULL; at += n)
    if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0')) return 1;
  return 0;
}
static int begins(const char* text, const char* with) { return strncmp(text, with, strlen(with)) == 0; }
static int ends(const char* text, const char* with) {
  const size_t n = strlen(text), m = strlen(with);
  return n >= m && strcmp(text + n - m, with) == 0;
}
static int is_out(const char* kind) { return ends(kind, "_out") || ends(kind, "_io"); }

static const char counts[] =
    "count incount origin_count target_count recvcount sendcount outcount each partitions n nnodes indegree outdegree";
static const char lists_of_counts[] = "counts sendcounts recvcounts blocklengths";
static const char ranks[] = "dest source root rank local_leader remote_leader";
static const char tags[] = "tag sendtag recvtag";
// Calls that wait for other processes where all arguments are right: they get no communicator. A pair can make one.
static const char waiting[] =
    "Comm_spawn Comm_spawn_multiple Comm_accept Comm_connect Intercomm_create Recv Irecv Probe Mprobe Win_wait";

static Word handle_word(const char* kind, int null) {
#define MADE_WORD(what, value, nothing) \
  if (strcmp(kind, what) == 0) return (Word)(null ? (nothing) : (value))
  MADE_WORD("comm", own.comm, MPI_COMM_NULL);
  MADE_WORD("group", own.group, MPI_GROUP_NULL);
  MADE_WORD("type", MPI_INT, MPI_DATATYPE_NULL);
  MADE_WORD("win", own.window, MPI_WIN_NULL);
  MADE_WORD("file", own.file, MPI_FILE_NULL);
  MADE_WORD("request", MPI_REQUEST_NULL, MPI_REQUEST_NULL);
  MADE_WORD("info", MPI_INFO_NULL, MPI_INFO_NULL);
  MADE_WORD("errhandler", MPI_ERRORS_RETURN, MPI_ERRHANDLER_NULL);
  MADE_WORD("op", MPI_SUM, MPI_OP_NULL);
#ifdef MPI_SESSION_NULL
  if (strcmp(kind, "session") == 0) return null ? (Word)MPI_SESSION_NULL : own.session;
#endif
  return 0;
}

static void put_handle(char* at, const char* kind, int null) {
#define MADE_HANDLE(what, type, fresh, nothing) \
  if (begins(kind, what)) {                     \
    type* handle = (type*)at;                   \
    *handle = nothing;                          \
    if (!null) fresh;                           \
    return;                                     \
  }
  MADE_HANDLE("comm", MPI_Comm, MPI_Comm_dup(own.comm, handle), MPI_COMM_NULL)
  MADE_HANDLE("group", MPI_Group, MPI_Comm_group(own.comm, handle), MPI_GROUP_NULL)
  MADE_HANDLE("type", MPI_Datatype, MPI_Type_vector(3, 1, 2, MPI_INT, handle), MPI_DATATYPE_NULL)
  MADE_HANDLE("win", MPI_Win, MPI_Win_create(own.in_window, 64, 1, MPI_INFO_NULL, own.comm, handle), MPI_WIN_NULL)
  MADE_HANDLE("file", MPI_File,
              MPI_File_open(own.comm, "a_file", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, handle), MPI_FILE_NULL)
  MADE_HANDLE("request", MPI_Request,
              MPI_Send_init(own.in_window, 1, MPI_INT, (own.rank + 1) % own.size, 0, own.comm, handle),
              MPI_REQUEST_NULL)
}

static int right_number(const struct Row* row, const char* name) {
  if (is(name, "nnodes")) return own.size;
  if (is(name, "dest source remote_leader")) return (own.rank + 1) % own.size;
  if (is(name, "root")) return own.root;
  if (is(name, "rank") && is(row->part, "topologies")) return 0;
  if (is(name, tags)) return 7;
  if (is(name, "split_type")) return MPI_COMM_TYPE_SHARED;
  if (is(name, "stride")) return 2;
  if (is(name, "order")) return MPI_ORDER_C;
  if (is(name, "p r")) return 5;
  if (is(name, "maxdims")) return 2;
  if (is(name, "amode")) return MPI_MODE_CREATE | MPI_MODE_RDWR;
  if (is(name, "outsize insize")) return 256;
  if (is(name, "fd")) return -1;
  if (is(name, "color key rank direction local_leader reorder high target_disp required lb")) return 0;
  if (is(name, "size")) return is(row->name, "Type_create_darray Type_create_darray_c") ? 1 : 64;
  return 1;
}

static int right_element(const struct Row* row, const char* name, int i) {
  const int bytes = strstr(row->name, "lltoallw") != NULL;
  if (is(name, "displs sdispls rdispls")) return bytes ? 4 * i : i;
  if (is(name, "displacements")) return 8 * i;
  if (is(name, "dims")) return i == 0 && !is(row->name, "Dims_create") ? own.size : i == 0 ? 0 : 1;
  if (is(name, "coords ranks ranks1 starts")) return 0;
  if (is(name, "ranges")) return i % 3 == 2;
  if (is(name, "index")) return i + 1;
  if (is(name, "edges")) return (i + 1) % own.size;
  if (is(name, "sources")) return is(row->name, "Dist_graph_create") ? own.rank : (own.rank + own.size - 1) % own.size;
  if (is(name, "destinations")) return (own.rank + 1) % own.size;
  if (is(name, "sizes gsizes")) return 4;
  if (is(name, "subsizes")) return 2;
  if (is(name, "distribs")) return MPI_DISTRIBUTE_BLOCK;
  if (is(name, "dargs")) return MPI_DISTRIBUTE_DFLT_DARG;
  return 1;
}

// The host lacks a call with large numbers. Bare, the older call is made in its place: its lists are of ints.
static int makes_older_call;

static Word list_of(int i, const struct Row* row, const char* kind, const char* name, int element, int is_element) {
  for (int k = 0; k < 1024; ++k) {
    const int value = is_element ? element : right_element(row, name, k);
    if (is(kind, "ptr") || (is(kind, "larges") && !makes_older_call))
      ((int64_t*)slots[i])[k] = value;
    else
      ((int*)slots[i])[k] = value;
  }
  return (Word)slots[i];
}

// As an int it would be right.
static const int64_t too_large = (INT64_C(1) << 32) + 1;

// A value is a letter and a number: what it means is said here alone.
struct Value {
  char what;  // r right, n number, 0 null pointer, h null handle, z handle of zeros, c other handle, s list of numbers,
              // i MPI_IN_PLACE, l list of null handles, p pointer to a null handle, e empty text, b number that fits no
              // int, B list that begins with one
  int number;
};

static Word word_of(const struct Row* row, int i, struct Value value) {
  const char *name = row->arguments[i].name, *kind = row->arguments[i].kind;
  memset(slots[i], fill_of(i), slot_bytes);
  switch (value.what) {
    case 'n':
      return (Word)(intptr_t)value.number;
    case '0':
    case 'z':
      return 0;
    case 'h':
      return handle_word(kind, 1);
    case 's':
      return list_of(i, row, kind, name, value.number, 1);
    case 'b':
      return (Word)too_large;
    case 'B':
      list_of(i, row, kind, name, 0, 0);
      ((int64_t*)slots[i])[0] = too_large;
      return (Word)slots[i];
    case 'i':
      return (Word)MPI_IN_PLACE;
    case 'e':
      slots[i][0] = '\0';
      return (Word)slots[i];
    case 'p':
      put_handle(slots[i], kind, 1);
      return (Word)slots[i];
    case 'l':
      for (int k = 0; k < 64; ++k) ((MPI_Datatype*)slots[i])[k] = MPI_DATATYPE_NULL;
      return (Word)slots[i];
    case 'c':
      if (is(kind, "group")) return (Word)MPI_GROUP_EMPTY;
      if (is(kind, "op")) return (Word)MPI_NO_OP;
      return (Word)(value.number ? own.gaps : own.not_committed);
  }
  if (is(kind, "argc argv")) return 0;
  if (is(kind, "win") && is(row->name, waiting)) return (Word)MPI_WIN_NULL;
  if (is(kind, "comm")) {
    if (is(row->name, "Intercomm_create") && own.size == 2) return (Word)(is(name, "local") ? MPI_COMM_SELF : own.comm);
    if (is(row->name, waiting)) return (Word)MPI_COMM_NULL;
    const int of_grid =
        is(row->part, "neighbours") || is(row->name, "Cart_coords Cart_get Cart_rank Cart_shift Cart_sub");
    return (Word)(of_grid ? own.grid : own.comm);
  }
  if (is(kind, "int logical aint count")) return (Word)(intptr_t)right_number(row, name);
  if (is(kind, "str")) {
    snprintf(slots[i], slot_bytes, "%s", is(name, "pset") ? "mpi://WORLD" : "a_file");
    return (Word)slots[i];
  }
  if (is(kind, "types")) {
    for (int k = 0; k < 64; ++k) ((MPI_Datatype*)slots[i])[k] = MPI_INT;
    return (Word)slots[i];
  }
  if (is(name, "requests")) {
    put_handle(slots[i], "request", 0);
    return (Word)slots[i];
  }
  if (is(name, "message")) {
    *(MPI_Message*)slots[i] = MPI_MESSAGE_NULL;
    return (Word)slots[i];
  }
  if (is(name, "status")) return (Word)slots[i];
  if (is(kind, "ints logicals ptr larges") || is(name, "dims")) return list_of(i, row, kind, name, 0, 0);
  if (ends(kind, "_io") && !begins(kind, "int") && !begins(kind, "count")) put_handle(slots[i], kind, 0);
  if (is(kind, "int_io count_io int_out ints_out logicals_out count_out")) memset(slots[i], 0, 64);
  const int by_value = is(kind, "group type win file request info errhandler op session");
  return by_value ? handle_word(kind, 0) : (Word)slots[i];
}
