// MPI_Pack and MPI_Unpack as a program calls them: in pieces, from absolute addresses, as messages, by the _c calls.
// Some arguments are wrong, and types come and go. PMPI_Pack with the same arguments gives the right result.
// cluster: nodes=1 ranks=2 env=MARSHAL_PACK=mars env=MARSHAL_SEGMENT=3
// cluster: nodes=2 ranks=2 env=MARSHAL_PACK=iovec
// cluster: nodes=1 ranks=2 env=MARSHAL_PACK=auto
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/mpi/host_name.h"

enum { most = 1 << 16, kinds = 7, turns = 80 };
static char user[most], packed[most], packed_by_host[most], back[most], back_by_host[most];
static int me, wrong;

#define CHECK(what)                                                                    \
  do {                                                                                 \
    if (!(what)) {                                                                     \
      if (wrong++ < 20) printf("rank %d, line %d: not so: %s\n", me, __LINE__, #what); \
    }                                                                                  \
  } while (0)

static MPI_Datatype make(int kind) {
  MPI_Datatype type, inner;
  int lengths[3] = {1, 2, 3}, places[4] = {5, 0, 9, 2}, sizes[2] = {6, 7}, part[2] = {3, 2}, from[2] = {1, 4};
  MPI_Aint bytes[3] = {0, 8, 24};
  MPI_Datatype parts[3] = {MPI_INT, MPI_DOUBLE, MPI_CHAR};
  switch (kind) {
    case 0:
      MPI_Type_vector(5, 2, 4, MPI_INT, &type);
      break;
    case 1:
      MPI_Type_create_struct(3, lengths, bytes, parts, &type);
      break;
    case 2:
      MPI_Type_create_indexed_block(4, 1, places, MPI_DOUBLE, &type);
      break;
    case 3:
      MPI_Type_create_subarray(2, sizes, part, from, MPI_ORDER_FORTRAN, MPI_FLOAT, &type);
      break;
    case 4:
      MPI_Type_contiguous(10, MPI_SHORT, &type);
      break;
    case 5:
      MPI_Type_vector(3, 1, 2, MPI_CHAR, &inner);
      MPI_Type_create_resized(inner, -1, 9, &type);
      MPI_Type_free(&inner);
      break;
    default:
      MPI_Type_indexed(3, lengths, places, MPI_DOUBLE_INT, &type);
  }
  MPI_Type_commit(&type);
  return type;
}

static char* origin(char* buffer) { return buffer + 4096; }

// Often enough that a type is read and its trial is over.
static void warm_up(MPI_Datatype type, int count) {
  for (int i = 0; i < turns; i++) {
    int position = 0;
    MPI_Pack(origin(user), count, type, packed, most, &position, MPI_COMM_WORLD);
    position = 0;
    MPI_Unpack(packed, most, &position, origin(back), count, type, MPI_COMM_WORLD);
  }
}

static void in_pieces(MPI_Datatype type, int count) {
  static const int pieces[3][4] = {{1, 1, 1, 1000}, {1000, 0, 0, 0}, {2, 0, 5, 1000}};
  MPI_Aint lb, extent;
  MPI_Type_get_extent(type, &lb, &extent);
  int end = 3, size = 0, room = 0;
  PMPI_Pack(origin(user), count, type, packed_by_host, most, &end, MPI_COMM_WORLD);
  MPI_Pack_size(count, type, MPI_COMM_WORLD, &room);
  PMPI_Pack_size(count, type, MPI_COMM_WORLD, &size);
  CHECK(room == size && room >= end - 3);
  for (int p = 0; p < 3; p++) {
    memset(packed + 3, 0, most - 3);
    memset(back, 0x5a, most);
    memset(back_by_host, 0x5a, most);
    int position = 3, host_position = 3, done = 0;
    for (int i = 0; i < 4; i++) {
      const int n = pieces[p][i] < count - done ? pieces[p][i] : count - done;
      CHECK(MPI_Pack(origin(user) + done * extent, n, type, packed, end, &position, MPI_COMM_WORLD) == MPI_SUCCESS);
      done += n;
    }
    CHECK(position == end);
    CHECK(memcmp(packed + 3, packed_by_host + 3, end - 3) == 0);
    PMPI_Unpack(packed_by_host, end, &host_position, origin(back_by_host), count, type, MPI_COMM_WORLD);
    position = 3, done = 0;
    for (int i = 0; i < 4; i++) {
      const int n = pieces[p][i] < count - done ? pieces[p][i] : count - done;
      CHECK(MPI_Unpack(packed, end, &position, origin(back) + done * extent, n, type, MPI_COMM_WORLD) == MPI_SUCCESS);
      done += n;
    }
    CHECK(position == end && host_position == end);
    CHECK(memcmp(back, back_by_host, most) == 0);
  }
}

// One side packs, the other receives the elements, and the other way round.
static void as_messages(MPI_Datatype type, int count) {
  MPI_Status status;
  int position = 0, host_position = 0;
  memset(back, 0x5a, most);
  memset(back_by_host, 0x5a, most);
  if (me == 0) {
    MPI_Pack(origin(user), count, type, packed, most, &position, MPI_COMM_WORLD);
    MPI_Send(packed, position, MPI_PACKED, 1, 1, MPI_COMM_WORLD);
    MPI_Send(origin(user), count, type, 1, 2, MPI_COMM_WORLD);
  } else {
    MPI_Recv(origin(back_by_host), count, type, 0, 1, MPI_COMM_WORLD, &status);
    MPI_Recv(packed, most, MPI_PACKED, 0, 2, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_PACKED, &position);
    MPI_Unpack(packed, position, &host_position, origin(back), count, type, MPI_COMM_WORLD);
    CHECK(position == host_position);
    CHECK(memcmp(back, back_by_host, most) == 0);
  }
}

static int class_of(int code) {
  int class;
  MPI_Error_class(code, &class);
  return class;
}

static void with_wrong_arguments(MPI_Datatype type, int count) {
  MPI_Datatype uncommitted;
  MPI_Type_vector(2, 1, 2, MPI_INT, &uncommitted);
  int end = 0;
  PMPI_Pack(origin(user), count, type, packed, most, &end, MPI_COMM_WORLD);
  const struct {
    int count;
    MPI_Datatype type;
    int size, position;
    MPI_Comm comm;
  } calls[] = {{count, type, end - 1, 0, MPI_COMM_WORLD},
               {count, type, end, 1, MPI_COMM_WORLD},
               {-1, type, end, 0, MPI_COMM_WORLD},
               {1, uncommitted, end, 0, MPI_COMM_WORLD},
               {1, MPI_DATATYPE_NULL, end, 0, MPI_COMM_WORLD},
               {1, type, end, 0, MPI_COMM_NULL},
               {0, type, end, 0, MPI_COMM_WORLD},
               {count, type, 0, 0, MPI_COMM_WORLD}};
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
    int position = calls[i].position, host_position = position;
    const int code =
        MPI_Pack(origin(user), calls[i].count, calls[i].type, packed, calls[i].size, &position, calls[i].comm);
    const int host_code =
        PMPI_Pack(origin(user), calls[i].count, calls[i].type, packed, calls[i].size, &host_position, calls[i].comm);
    CHECK(class_of(code) == class_of(host_code));
    CHECK(position == host_position);
    // MPICH 4.0 and 5.0 fail an assertion of their own.
    if (is_mpich() && calls[i].size - calls[i].position < end) continue;
    position = host_position = calls[i].position;
    const int back_code =
        MPI_Unpack(packed, calls[i].size, &position, origin(back), calls[i].count, calls[i].type, calls[i].comm);
    const int host_back_code =
        PMPI_Unpack(packed, calls[i].size, &host_position, origin(back), calls[i].count, calls[i].type, calls[i].comm);
    CHECK(class_of(back_code) == class_of(host_back_code));
    CHECK(position == host_position);
  }
  MPI_Type_free(&uncommitted);
}

static void from_bottom(void) {
  int* here = malloc(64 * sizeof *here);
  double* there = malloc(32 * sizeof *there);
  for (int i = 0; i < 64; i++) here[i] = i;
  for (int i = 0; i < 32; i++) there[i] = -i;
  int lengths[2] = {64, 32};
  MPI_Aint places[2];
  MPI_Datatype parts[2] = {MPI_INT, MPI_DOUBLE}, type;
  MPI_Get_address(here, &places[0]);
  MPI_Get_address(there, &places[1]);
  MPI_Type_create_struct(2, lengths, places, parts, &type);
  MPI_Type_commit(&type);
  int failed = 0;
  for (int i = 0; i < turns; i++) {
    int position = 0, host_position = 0;
    const int code = MPI_Pack(MPI_BOTTOM, 1, type, packed, most, &position, MPI_COMM_WORLD);
    const int host_code = PMPI_Pack(MPI_BOTTOM, 1, type, packed_by_host, most, &host_position, MPI_COMM_WORLD);
    CHECK(class_of(code) == class_of(host_code) && position == host_position);
    failed = code != MPI_SUCCESS;
    if (failed) break;  // MPICH 4.0 takes no null buffer
    CHECK(memcmp(packed, packed_by_host, position) == 0);
    memset(here, 0, 64 * sizeof *here);
    memset(there, 0, 32 * sizeof *there);
    position = 0;
    MPI_Unpack(packed, most, &position, MPI_BOTTOM, 1, type, MPI_COMM_WORLD);
    for (int k = 0; k < 64; k++) CHECK(here[k] == k);
    for (int k = 0; k < 32; k++) CHECK(there[k] == -k);
  }
  MPI_Type_free(&type);
  free(here);
  free(there);
}

#if MPI_VERSION >= 4
static void by_large_counts(MPI_Datatype type, MPI_Count count) {
  MPI_Count size = 0, position = 0, host_position = 0;
  MPI_Pack_size_c(count, type, MPI_COMM_WORLD, &size);
  for (int i = 0; i < turns; i++) {
    position = host_position = 0;
    memset(packed, 0, most);
    memset(packed_by_host, 0, most);
    MPI_Pack_c(origin(user), count, type, packed, most, &position, MPI_COMM_WORLD);
    PMPI_Pack_c(origin(user), count, type, packed_by_host, most, &host_position, MPI_COMM_WORLD);
    CHECK(position == host_position && position <= size && memcmp(packed, packed_by_host, most) == 0);
    memset(back, 0, most);
    memset(back_by_host, 0, most);
    position = host_position = 0;
    MPI_Unpack_c(packed, most, &position, origin(back), count, type, MPI_COMM_WORLD);
    PMPI_Unpack_c(packed, most, &host_position, origin(back_by_host), count, type, MPI_COMM_WORLD);
    CHECK(position == host_position && memcmp(back, back_by_host, most) == 0);
  }
}

static void of_large_constructors(void) {
  MPI_Count lengths[3] = {1, 2, 3}, places[3] = {9, 0, 4};
  MPI_Datatype vector, indexed;
  MPI_Type_vector_c(5, 2, 4, MPI_INT, &vector);
  MPI_Type_indexed_c(3, lengths, places, vector, &indexed);
  MPI_Type_commit(&indexed);
  by_large_counts(indexed, 3);
  in_pieces(indexed, 4);
  MPI_Type_free(&vector);
  MPI_Type_free(&indexed);
}
#endif

// Handles are used again: the old type's layout must not be.
static void of_types_that_come_and_go(void) {
  for (int round = 0; round < 400; round++) {
    MPI_Datatype type, of, copy;
    MPI_Type_vector(2 + round % 3, 1 + round % 2, 3, round % 5 ? MPI_INT : MPI_SHORT, &of);
    MPI_Type_contiguous(2, of, &type);
    MPI_Type_dup(type, &copy);
    MPI_Type_commit(&type);
    MPI_Type_commit(&copy);
    MPI_Type_free(&of);  // the other types keep it alive
    for (int turn = 0; turn < (round % 7 ? 2 : turns); turn++) {
      int position = 0, host_position = 0;
      MPI_Pack(origin(user), 5, turn % 2 ? type : copy, packed, most, &position, MPI_COMM_SELF);
      PMPI_Pack(origin(user), 5, turn % 2 ? type : copy, packed_by_host, most, &host_position, MPI_COMM_SELF);
      CHECK(position == host_position && memcmp(packed, packed_by_host, position) == 0);
    }
    MPI_Type_free(&type);
    MPI_Type_free(&copy);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  for (int i = 0; i < most; i++) user[i] = (char)(i * 2654435761u >> 13);
  for (int kind = 0; kind < kinds; kind++) {
    MPI_Datatype type = make(kind);
    int position = 0;
    // For the next calls the type is not read yet.
    MPI_Pack(origin(user), 1, type, packed, most, &position, MPI_COMM_SELF);
    with_wrong_arguments(type, 1);
    for (int count = 1; count < 70; count += 8) {
      if (count > 1) warm_up(type, count);
      in_pieces(type, count);
      as_messages(type, count);
      with_wrong_arguments(type, count);
#if MPI_VERSION >= 4
      by_large_counts(type, count);
#endif
    }
    MPI_Type_free(&type);
  }
  from_bottom();
#if MPI_VERSION >= 4
  of_large_constructors();
#endif
  of_types_that_come_and_go();
  printf("rank %d: %d wrong\n", me, wrong);
  MPI_Finalize();
  return wrong != 0;
}
