// Messages that end inside an element of the receiver's datatype: each receive call tells of them, and delivers, what
// the host alone does. A long message, of which a fragment may end there as well, is treated as a short one is.
//
// cluster: nodes=1 ranks=2 args=short compare=lines env=MARSHAL_MESSAGES=on
// cluster: nodes=1 ranks=2 args=short compare=lines env=MARSHAL_MESSAGES=auto
// cluster: nodes=1 ranks=2 args=short compare=lines env=UCX_TLS=tcp,self
// cluster: nodes=1 ranks=2 args=long env=MARSHAL_MESSAGES=on
// cluster: nodes=1 ranks=2 args=long env=MARSHAL_MESSAGES=auto
// cluster: nodes=1 ranks=2 args=long env=UCX_TLS=tcp,self
// cluster: nodes=1 ranks=2 args=short compare=lines env=MARSHAL_MESSAGES=calls env=MARSHAL_PACK=mars
// cluster: nodes=1 ranks=2 args=long env=MARSHAL_MESSAGES=calls env=MARSHAL_PACK=mars
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most = 200000, room = 4 * most, short_room = 16384 };
static int me, wrong;
static unsigned char sent[most], user[room], other[room];

enum { type_count = 6, call_count = 7 };
static const char* const type_names[type_count] = {"ints",  "int and double", "doubles, one instance",
                                                   "pairs", "structs",        "chars"};
static int instances[type_count];

// With gaps, and room for `most` bytes in all instances.
static MPI_Datatype make_type(int which) {
  MPI_Datatype made, element;
  if (which == 0) {
    MPI_Type_vector(3, 1, 2, MPI_INT, &made);
    instances[which] = most / 12;
  } else if (which == 1) {
    const int lengths[2] = {1, 1};
    const MPI_Aint places[2] = {0, 8};
    const MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
    MPI_Type_create_struct(2, lengths, places, types, &made);
    instances[which] = most / 12;
  } else if (which == 2) {
    MPI_Type_vector(most / 8 / 5, 5, 7, MPI_DOUBLE, &made);
    instances[which] = 1;
  } else if (which == 3) {
    MPI_Type_vector(2, 1, 2, MPI_SHORT_INT, &made);
    instances[which] = most / 12;
  } else if (which == 4) {  // many elements of two kinds that follow each other without a gap
    const int lengths[2] = {1, 1};
    const MPI_Aint places[2] = {0, 2};
    const MPI_Datatype types[2] = {MPI_SHORT, MPI_INT};
    MPI_Type_create_struct(2, lengths, places, types, &element);
    MPI_Datatype packed;
    MPI_Type_create_resized(element, 0, 6, &packed);
    MPI_Type_vector(2, 500, 501, packed, &made);
    MPI_Type_free(&element);
    MPI_Type_free(&packed);
    instances[which] = most / 6000;
  } else {
    MPI_Type_vector(3, 1, 2, MPI_CHAR, &made);
    instances[which] = most / 3;
  }
  MPI_Type_commit(&made);
  return made;
}

static int class_of(int code) {
  int class = MPI_SUCCESS;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &class);
  return class;
}

static const char* const call_names[call_count] = {"Recv",      "Irecv", "Recv_init", "Sendrecv",
                                                   "Recv late", "Mrecv", "Imrecv"};
static int receive(int call, int count, MPI_Datatype type, MPI_Status* status) {
  MPI_Request request;
  MPI_Message message;
  int code;
  // Early: before the message is sent.
  if (call == 1)
    MPI_Irecv(user, count, type, 0, call, MPI_COMM_WORLD, &request);
  else if (call == 2)
    MPI_Recv_init(user, count, type, 0, call, MPI_COMM_WORLD, &request), MPI_Start(&request);
  MPI_Barrier(MPI_COMM_WORLD);
  switch (call) {
    case 0:
      return MPI_Recv(user, count, type, 0, call, MPI_COMM_WORLD, status);
    case 1:
      return MPI_Wait(&request, status);
    case 2:
      code = MPI_Wait(&request, status);
      MPI_Request_free(&request);
      return code;
    case 3:
      return MPI_Sendrecv(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, user, count, type, 0, call, MPI_COMM_WORLD, status);
    case 4:
      MPI_Probe(0, call, MPI_COMM_WORLD, status);
      return MPI_Recv(user, count, type, 0, call, MPI_COMM_WORLD, status);
    case 5:
      MPI_Mprobe(0, call, MPI_COMM_WORLD, &message, status);
      return MPI_Mrecv(user, count, type, &message, status);
    default:
      MPI_Mprobe(0, call, MPI_COMM_WORLD, &message, status);
      MPI_Imrecv(user, count, type, &message, &request);
      return MPI_Wait(&request, status);
  }
}

static void send_bytes(int call, int bytes) {
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(sent, bytes, MPI_BYTE, 1, call, MPI_COMM_WORLD);
}

// Unpacks the first `bytes` bytes into `other`, as they must stand with the receiver.
static void expect(int bytes, int count, MPI_Datatype type) {
  int position = 0;
  unsigned char* packed = malloc(most);
  memset(other, 0, room);
  MPI_Pack(other, count, type, packed, most, &position, MPI_COMM_SELF);
  memcpy(packed, sent, (size_t)bytes);
  position = 0;
  MPI_Unpack(packed, most, &position, other, count, type, MPI_COMM_SELF);
  free(packed);
}

static unsigned long sum_of(const unsigned char* bytes) {
  unsigned long sum = 0;
  for (int i = 0; i < short_room; i++) sum = sum * 31 + bytes[i];
  return sum;
}

static void show_short(int call, int which, int bytes, MPI_Datatype type) {
  if (me == 0) {
    send_bytes(call, bytes);
    return;
  }
  MPI_Status status;
  memset(user, 0, short_room);
  const int class = class_of(receive(call, instances[which], type, &status));
  printf("%s, %s, %d bytes: class %d, source %d, tag %d, buffer %lx", call_names[call], type_names[which], bytes, class,
         status.MPI_SOURCE, status.MPI_TAG, sum_of(user));
  if (class == MPI_SUCCESS) {
    int count = -7, elements = -7;
    MPI_Get_count(&status, type, &count);
    MPI_Get_elements(&status, type, &elements);
    printf(", count %d, elements %d", count, elements);
  }
  printf("\n");
}

// The last of `bytes` bytes are a part of an element, `rest` of them; a short message of those alone tells the rule.
static void check_long(int call, int which, int bytes, int rest, MPI_Datatype type) {
  if (me == 0) {
    send_bytes(call, rest);
    send_bytes(call, bytes);
    return;
  }
  MPI_Status status;
  memset(user, 0, room);
  const int rule = class_of(receive(call, instances[which], type, &status));
  memset(user, 0, room);
  const int class = class_of(receive(call, instances[which], type, &status));
  int got = bytes;
  if (rule == MPI_SUCCESS) MPI_Get_count(&status, MPI_BYTE, &got);
  expect(rule == MPI_SUCCESS ? bytes : bytes - rest, instances[which], type);
  if (class == rule && got == bytes && memcmp(user, other, room) == 0) return;
  wrong++;
  printf("%s, %s, %d bytes: class %d, not %d; %d bytes; other bytes: %d\n", call_names[call], type_names[which], bytes,
         class, rule, got, memcmp(user, other, room) != 0);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int i = 0; i < most; i++) sent[i] = (unsigned char)(i % 251 + 1);
  const int is_long = argc > 1 && strcmp(argv[1], "long") == 0;
  const int short_lengths[] = {1, 3, 4, 6, 7, 8, 9, 12, 13, 18, 23, 40, 43, 1001, 3005};
  for (int which = 0; which < type_count; which++) {
    const MPI_Datatype type = make_type(which);
    for (int call = 0; call < call_count; call++)
      if (!is_long) {
        for (size_t i = 0; i < sizeof short_lengths / sizeof *short_lengths; i++)
          show_short(call, which, short_lengths[i], type);
      } else {
        // 120 bytes are whole elements of all types but one, and no element is shorter than 4 bytes.
        for (int bytes = 12000; bytes < most; bytes *= 4)
          for (int rest = 0; rest < 4; rest += rest < 1 ? 1 : 2)
            if (which != 4 && which != 5) check_long(call, which, bytes - bytes % 120 + rest, rest, type);
      }
    MPI_Type_free((MPI_Datatype*)&type);
  }
  if (is_long) printf("rank %d: %d wrong\n", me, wrong);
  MPI_Finalize();
  return wrong != 0;
}
