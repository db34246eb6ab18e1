// Long messages of datatypes that may be packed whole arrive as they were sent, whatever the receiver takes them by, and however many are
// under way; receives that are too short fail as ever.
//
// cluster: nodes=1 ranks=2
// cluster: nodes=1 ranks=2 env=UCX_TLS=tcp,self
// cluster: nodes=1 ranks=2 env=UCX_TLS=tcp,self env=UCX_RNDV_THRESH=1000
// cluster: nodes=2 ranks=2 env=UCX_TLS=tcp,self env=MARSHAL_MESSAGES=on
// cluster: nodes=1 ranks=2 env=MARSHAL_MESSAGES=calls env=MARSHAL_PACK=mars env=UCX_TLS=tcp,self
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// As MPI_DOUBLE_INT: 12 packed bytes of 16. Fragments of bytes end inside of elements.
struct pair {
  double x;
  int i;
};
enum { most = 250 * 1000, many = 24 };
static int me, wrong;

static void check(int condition, const char* what, int n) {
  if (condition) return;
  printf("rank %d, %d instances: %s\n", me, n, what);
  wrong++;
}

static MPI_Datatype new_type(int by_program) {
  int lengths[2] = {1, 1};
  MPI_Aint places[2] = {offsetof(struct pair, x), offsetof(struct pair, i)};
  MPI_Datatype types[2] = {MPI_DOUBLE, MPI_INT}, made, resized;
  MPI_Type_create_struct(2, lengths, places, types, &made);
  MPI_Type_create_resized(made, 0, sizeof(struct pair), &resized);
  MPI_Type_free(&made);
  if (by_program)
    MPI_Type_commit(&resized);
  else
    PMPI_Type_commit(&resized);  // as inside a library
  return resized;
}

static void fill(struct pair* pairs, int n, int seed) {
  memset(pairs, 0, sizeof *pairs * n);
  for (int k = 0; k < n; k++) pairs[k] = (struct pair){seed + 0.5 * k, seed - k};
}
static int are(const struct pair* pairs, int n, int seed) {
  for (int k = 0; k < n; k++)
    if (pairs[k].x != seed + 0.5 * k || pairs[k].i != seed - k) return 0;
  return 1;
}

// One at a time, some time apart: Marshal learns how the host sends them.
static void one_by_one(struct pair* pairs, int n, MPI_Datatype sent, MPI_Datatype received, const char* what) {
  for (int k = 0; k < 8; k++) {
    if (me == 0) {
      fill(pairs, n, k);
      MPI_Barrier(MPI_COMM_WORLD);
      usleep(1500);
      if (k % 2)
        MPI_Send(pairs, n, sent, 1, k, MPI_COMM_WORLD);
      else
        MPI_Ssend(pairs, n, sent, 1, k, MPI_COMM_WORLD);
    } else {
      MPI_Status status;
      int count;
      memset(pairs, 0, sizeof *pairs * n);
      MPI_Barrier(MPI_COMM_WORLD);
      if (k % 4 == 1) usleep(5000);  // it comes unexpected
      MPI_Recv(pairs, n, received, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, received, &count);
      check(count == n && are(pairs, n, k), what, n);
    }
  }
}

// More than Marshal keeps memory for. The type is gone before the first is received.
static void many_at_once(struct pair* pairs, int n) {
  MPI_Request requests[many];
  MPI_Status statuses[many];
  MPI_Datatype type = new_type(1);
  struct pair* all = me == 0 ? pairs : malloc(sizeof *all * n * many);
  if (me == 0) fill(pairs, n, 7);
  for (int k = 0; k < many; k++)
    if (me == 0)
      MPI_Isend(pairs, n, type, 1, k, MPI_COMM_WORLD, &requests[k]);
    else
      MPI_Irecv(all + (size_t)k * n, n, type, 0, k, MPI_COMM_WORLD, &requests[k]);
  MPI_Type_free(&type);
  type = new_type(1);
  MPI_Waitall(many, requests, statuses);
  MPI_Type_free(&type);
  if (me == 0) return;
  for (int k = 0; k < many; k++) check(are(all + (size_t)k * n, n, 7), "one of many messages", n);
  free(all);
}

static void too_long(struct pair* pairs, int n, MPI_Datatype type) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (me == 0) {
    fill(pairs, n, 1);
    MPI_Send(pairs, n, type, 1, 0, MPI_COMM_WORLD);
  } else {
    int class = MPI_SUCCESS;
    const int code = MPI_Recv(pairs, n / 2, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) MPI_Error_class(code, &class);
    check(class == MPI_ERR_TRUNCATE, "a receive that is too short", n);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void matched(struct pair* pairs, int n, MPI_Datatype type) {
  if (me == 0) {
    MPI_Request request;
    fill(pairs, n, 3);
    MPI_Isend(pairs, n, type, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);  // no host takes it back from UCX, but it may
    MPI_Status status;
    int cancelled;
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    MPI_Send(&cancelled, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
  } else {
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    int cancelled = 0, found = 0, count;
    MPI_Request told;
    MPI_Irecv(&cancelled, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &told);
    for (int is_told = 0; !is_told || (!cancelled && !found);) {
      if (!found) MPI_Improbe(0, 0, MPI_COMM_WORLD, &found, &message, &status);
      if (found && message != MPI_MESSAGE_NULL) {
        MPI_Get_count(&status, type, &count);
        check(count == n, "its length as probed", n);
        memset(pairs, 0, sizeof *pairs * n);
        MPI_Mrecv(pairs, n, type, &message, &status);
        check(are(pairs, n, 3), "a matched message", n);
      }
      if (!is_told) MPI_Test(&told, &is_told, MPI_STATUS_IGNORE);
    }
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Datatype known = new_type(1), unknown = new_type(0);
  struct pair* pairs = malloc(sizeof *pairs * most);
  // 36 KB to 600 KB in twelve bytes each; and back to short ones.
  const int counts[] = {3000, 10001, 50003, 3001, 700};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
    one_by_one(pairs, counts[k], known, known, "known at both sides");
    one_by_one(pairs, counts[k], known, unknown, "known to the sender");
    one_by_one(pairs, counts[k], known, MPI_DOUBLE_INT, "received as pairs");
    one_by_one(pairs, counts[k], unknown, known, "known to the receiver");
    one_by_one(pairs, counts[k], MPI_DOUBLE_INT, known, "sent as pairs");
    too_long(pairs, counts[k], known);
    matched(pairs, counts[k], known);
  }
  many_at_once(pairs, most);
  many_at_once(pairs, 3000);
  MPI_Type_free(&known);
  MPI_Type_free(&unknown);
  free(pairs);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0) puts(wrong ? "FAILED" : "OK");
  fflush(stdout);
  MPI_Finalize();
  return wrong != 0;
}
