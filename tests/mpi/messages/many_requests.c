// Very many receives at once, with gaps: each is asked about, cancelled or freed by itself. The time grows with their
// number, as on the bare host, and not with its square: else it would take minutes.
//
// cluster: nodes=1 ranks=1 timeout=60 sleeps=no sanitizer=no env=MARSHAL_MESSAGES=calls env=MARSHAL_PACK=mars
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { receives = 60000, rows = 8, room = 2 * rows, tags = 30000 };
static int wrong;

static void check(int condition, const char* what) {
  if (condition) return;
  if (wrong++ < 10) printf("%s\n", what);
}

static void post(int* to, MPI_Datatype type, MPI_Request* requests) {
  memset(to, 0, sizeof(int) * room * receives);
  for (int i = 0; i < receives; i++) MPI_Irecv(to + room * i, 1, type, 0, i % tags, MPI_COMM_SELF, &requests[i]);
}
static void send(const int* from, MPI_Datatype type) {
  for (int i = 0; i < receives; i++) MPI_Send(from + room * i, 1, type, 0, i % tags, MPI_COMM_SELF);
}
static int come(const int* from, const int* to) {
  int count = 0;
  for (int i = 0; i < receives; i++) count += to[room * i] == from[room * i] && to[room * (i + 1) - 2] != 0;
  return count;
}

int main(int argc, char** argv) {
  int flag, cancelled = 0;
  MPI_Init(&argc, &argv);
  MPI_Datatype type;
  MPI_Type_vector(rows, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  int* const from = malloc(sizeof(int) * room * receives);
  int* const to = malloc(sizeof(int) * room * receives);
  MPI_Request* const requests = malloc(sizeof(MPI_Request) * receives);
  MPI_Status* const statuses = malloc(sizeof(MPI_Status) * receives);
  for (int i = 0; i < room * receives; i++) from[i] = i + 1;

  post(to, type, requests);
  for (int i = 0; i < receives; i++) {
    MPI_Request_get_status(requests[i], &flag, MPI_STATUS_IGNORE);
    check(!flag, "a receive has ended before its message was sent");
  }
  send(from, type);
  for (int i = 0; i < receives; i++) {
    MPI_Request_get_status(requests[i], &flag, MPI_STATUS_IGNORE);
    check(flag, "a receive has not ended");
  }
  check(come(from, to) == receives, "messages have not come");
  MPI_Waitall(receives, requests, statuses);

  post(to, type, requests);
  for (int i = 0; i < receives; i++) MPI_Cancel(&requests[i]);
  MPI_Waitall(receives, requests, statuses);
  for (int i = 0; i < receives; i++) {
    MPI_Test_cancelled(&statuses[i], &flag);
    cancelled += flag;
  }
  check(cancelled == receives, "receives have not been cancelled");

  post(to, type, requests);
  for (int i = 0; i < receives; i++) MPI_Request_free(&requests[i]);
  send(from, type);
  const double begin = MPI_Wtime();
  while (come(from, to) < receives && MPI_Wtime() < begin + 20)
    for (int i = 0; i < 1000; i++) MPI_Iprobe(0, tags, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
  check(come(from, to) == receives, "messages of receives that were freed have not come");

  MPI_Type_free(&type);
  free(from), free(to), free(requests), free(statuses);
  printf("%d wrong\n", wrong);
  MPI_Finalize();
  return wrong != 0;
}
