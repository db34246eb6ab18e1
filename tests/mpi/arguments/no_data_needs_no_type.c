// Messages without data need no datatype: MPICH takes MPI_DATATYPE_NULL there, and calls no error handler. Open MPI
// refuses it, and calls one.
// cluster: ranks=2
// cluster: ranks=2 exit=same report=any args=fatal
#include <mpi.h>
#include <stdio.h>

static int calls;
static void count_calls(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  (void)code;
  ++calls;
}

static int failed, rank, refused;
// The bare host refuses all of them, each by one call of the handler, or none.
static void expect(const char* name, int code) {
  const int is_right = code == MPI_SUCCESS ? calls == 0 && !refused : calls == 1 && refused;
  if (!is_right) {
    fprintf(stderr, "rank %d: %s: code %d, %d calls of the error handler\n", rank, name, code, calls);
    failed = 1;
  }
  calls = 0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Get_library_version(version, &length);
  refused = version[0] == 'O';  // Open MPI
  MPI_Errhandler counting;
  MPI_Comm_create_errhandler(count_calls, &counting);
  if (argc < 2) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, counting);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, counting);
  }
  const int other = 1 - rank;
  const MPI_Datatype none = MPI_DATATYPE_NULL, several[2] = {none, none};
  int zeros[2] = {0, 0}, word = 0;
  MPI_Aint places[2] = {0, 0};
  MPI_Request request;

  // A receive for each of the four messages that follow, where they are sent.
  MPI_Request receives[4];
  for (int i = 0; i < 4; ++i) MPI_Irecv(&word, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &receives[i]);
  expect("MPI_Send", MPI_Send(NULL, 0, none, other, 1, MPI_COMM_WORLD));
  request = MPI_REQUEST_NULL;
  expect("MPI_Isend", MPI_Isend(NULL, 0, none, other, 1, MPI_COMM_WORLD, &request));
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  request = MPI_REQUEST_NULL;
  const int set_up = MPI_Send_init(NULL, 0, none, other, 1, MPI_COMM_WORLD, &request);
  expect("MPI_Send_init", set_up);
  if (set_up == MPI_SUCCESS) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
  }
  expect("MPI_Sendrecv",
         MPI_Sendrecv(NULL, 0, none, other, 1, &word, 0, none, MPI_PROC_NULL, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  for (int i = 0; i < 4; ++i) {
    if (refused) MPI_Cancel(&receives[i]);
    MPI_Wait(&receives[i], MPI_STATUS_IGNORE);
  }

  MPI_Comm ring;
  const int dims[1] = {2}, periods[1] = {1};
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
  calls = 0;
  expect("MPI_Neighbor_alltoall", MPI_Neighbor_alltoall(NULL, 0, none, NULL, 0, none, ring));
  expect("MPI_Neighbor_alltoallw",
         MPI_Neighbor_alltoallw(NULL, zeros, places, several, NULL, zeros, places, several, ring));
  MPI_Finalize();
  return failed;
}
