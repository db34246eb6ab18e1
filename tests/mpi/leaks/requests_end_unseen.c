// Requests that end where Marshal does not see it: by PMPI_ functions, and in a callback inside another call. Or, with an argument, never.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { rounds = 1500 };
static MPI_Request in_callback;

static int end_it(MPI_Comm comm, int keyval, void *value, void *state) {
  (void)comm, (void)keyval, (void)value, (void)state;
  return MPI_Wait(&in_callback, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const int leaks = argc > 1;
  int in[2], out = 1, keyval;
  static int never[rounds];
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_it, &keyval, NULL);
  for (int i = 0; i < rounds; ++i) {
    MPI_Request r[4];
    for (int k = 0; k < 2; ++k) MPI_Irecv(&in[k], 1, MPI_INT, 0, k, MPI_COMM_SELF, &r[k]);
    for (int k = 0; k < 2; ++k) MPI_Isend(&out, 1, MPI_INT, 0, k, MPI_COMM_SELF, &r[2 + k]);
    in_callback = r[1];
    if (i % 20 == 0) {
      MPI_Comm other;
      MPI_Comm_dup(MPI_COMM_SELF, &other);
      MPI_Comm_set_attr(other, keyval, NULL);
      MPI_Comm_free(&other);
    } else {
      PMPI_Wait(&r[1], MPI_STATUS_IGNORE);
    }
    PMPI_Wait(&r[0], MPI_STATUS_IGNORE);
    PMPI_Wait(&r[2], MPI_STATUS_IGNORE);
    MPI_Wait(&r[3], MPI_STATUS_IGNORE);
    if (leaks) MPI_Irecv(&never[i], 1, MPI_INT, 0, 7, MPI_COMM_SELF, &r[0]);
  }
  MPI_Comm_free_keyval(&keyval);
  for (int i = 0; leaks && i < rounds; ++i) PMPI_Send(&out, 1, MPI_INT, 0, 7, MPI_COMM_SELF);
  return MPI_Finalize();
}
