// The host's answers to a receiver stay as they are: counts, elements, probes, parts of elements, truncation.
//
// cluster: nodes=1 ranks=2 env=MARSHAL_MESSAGES=on
// cluster: nodes=1 ranks=2 env=MARSHAL_MESSAGES=auto
// cluster: nodes=2 ranks=2 env=MARSHAL_MESSAGES=on
// cluster: nodes=1 ranks=2 env=MARSHAL_MESSAGES=calls env=MARSHAL_PACK=mars
// cluster: nodes=2 ranks=2 env=MARSHAL_MESSAGES=calls env=MARSHAL_PACK=mars
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most = 2000, extent = 24, size = 12 };
static int me, wrong;
static MPI_Datatype pair;  // an int, and a double at 8, in 24 bytes

static void check(int condition, int n, const char* what) {
  if (condition) return;
  printf("rank %d, %d instances: %s\n", me, n, what);
  wrong++;
}

static int class_of(int code) {
  int class = MPI_SUCCESS;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &class);
  return class;
}

static int int_at(const char* user, int i) {
  int x;
  memcpy(&x, user + extent * i, sizeof x);
  return x;
}
static double double_at(const char* user, int i) {
  double x;
  memcpy(&x, user + extent * i + 8, sizeof x);
  return x;
}
static int is_untouched(const char* bytes, int n) {
  for (int i = 0; i < n; i++)
    if (bytes[i] != 0x55) return 0;
  return 1;
}

static void send_all(int n, char* user, char* packed) {
  for (int tag = 0; tag < 6; tag++) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (tag == 0) MPI_Send(user, n, pair, 1, tag, MPI_COMM_WORLD);
    if (tag == 1) MPI_Send(packed, size * n, MPI_BYTE, 1, tag, MPI_COMM_WORLD);
    if (tag == 2) MPI_Send(packed, size * (n - 2) + 4, MPI_BYTE, 1, tag, MPI_COMM_WORLD);
    if (tag == 3) MPI_Send(user, n, pair, 1, tag, MPI_COMM_WORLD);
    if (tag == 4) MPI_Send(user, n, pair, 1, tag, MPI_COMM_WORLD);
    if (tag == 5) MPI_Send(packed, size * n, MPI_PACKED, 1, tag, MPI_COMM_WORLD);
  }
}

static void receive_all(int n) {
  char* user = malloc(extent * most);
  for (int tag = 0; tag < 6; tag++) {
    memset(user, 0x55, extent * most);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Status status;
    int count = -7, elements = -7, bytes = -7, code;
    if (tag == 4) {
      code = class_of(MPI_Recv(user, n - 1, pair, 0, tag, MPI_COMM_WORLD, &status));
      check(code == MPI_ERR_TRUNCATE, n, "a message that is too long is not truncated");
      check(is_untouched(user + extent * (n - 1), extent), n, "it is written behind the receiver's memory");
      continue;
    }
    if (tag == 0) {
      MPI_Probe(0, tag, MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, pair, &count);
      check(count == n, n, "MPI_Probe tells another count");
    }
    code = class_of(MPI_Recv(user, n, pair, 0, tag, MPI_COMM_WORLD, &status));
    MPI_Get_count(&status, pair, &count);
    MPI_Get_elements(&status, pair, &elements);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    check(code == MPI_SUCCESS, n, "an error");
    check(status.MPI_SOURCE == 0 && status.MPI_TAG == tag, n, "another source or tag");
    if (tag == 2) {
      check(count == MPI_UNDEFINED && elements == 2 * (n - 2) + 1 && bytes == size * (n - 2) + 4, n,
            "another count of a part of an instance");
      check(int_at(user, n - 2) == n - 2 && is_untouched(user + extent * (n - 2) + 4, 2 * extent - 4), n,
            "a part of an instance is other bytes");
      continue;
    }
    check(count == n && elements == 2 * n && bytes == size * n, n, "another count");
    int right = 1;
    for (int i = 0; i < n; i++)
      right &= int_at(user, i) == i && double_at(user, i) == i && is_untouched(user + extent * i + 4, 4) &&
               is_untouched(user + extent * i + 16, 8);
    check(right, n, "other bytes");
  }
  free(user);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int lengths[2] = {1, 1};
  const MPI_Aint places[2] = {0, 8};
  const MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
  MPI_Datatype both;
  MPI_Type_create_struct(2, lengths, places, types, &both);
  MPI_Type_create_resized(both, 0, extent, &pair);
  MPI_Type_free(&both);
  MPI_Type_commit(&pair);

  char *user = calloc(extent, most), *packed = malloc(size * most);
  for (int i = 0; i < most; i++) {
    const double x = i;
    memcpy(user + extent * i, &i, sizeof i);
    memcpy(user + extent * i + 8, &x, sizeof x);
    memcpy(packed + size * i, &i, sizeof i);
    memcpy(packed + size * i + 4, &x, sizeof x);
  }
  for (int n = 4; n <= most; n *= n < 100 ? 25 : 20) {
    if (me == 0)
      send_all(n, user, packed);
    else
      receive_all(n);
  }

  MPI_Status status;
  int count = -7, flag = 0;
  check(MPI_Send(user, 3, pair, MPI_PROC_NULL, 0, MPI_COMM_WORLD) == MPI_SUCCESS, 3, "no message to nobody");
  check(MPI_Recv(user, 3, pair, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status) == MPI_SUCCESS, 3, "none from nobody");
  MPI_Get_count(&status, pair, &count);
  check(count == 0 && status.MPI_SOURCE == MPI_PROC_NULL, 3, "a message from nobody has a count");

  MPI_Request request;
  MPI_Irecv(user, most, pair, 1 - me, 90, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  check(flag, most, "a receive cannot be cancelled");
  MPI_Send(NULL, 0, pair, 1 - me, 91, MPI_COMM_WORLD);
  MPI_Recv(NULL, 0, pair, 1 - me, 91, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, pair, &count);
  check(count == 0, 0, "an empty message has a count");

  MPI_Type_free(&pair);
  free(user);
  free(packed);
  printf("rank %d: %d wrong\n", me, wrong);
  MPI_Finalize();
  return wrong != 0;
}
