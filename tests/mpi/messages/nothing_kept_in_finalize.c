// In MPI_Finalize Marshal has no communicator and no datatype left: a delete function of an attribute of MPI_COMM_SELF
// finds as many communicators free as on the bare host, and its messages arrive.
//
// cluster: nodes=1 ranks=1 compare=lines env=MARSHAL_MESSAGES=calls env=MARSHAL_PACK=mars
// cluster: nodes=1 ranks=1 compare=lines env=MARSHAL_MESSAGES=auto
#include <mpi.h>
#include <stdio.h>

enum { most = 5000, rows = 50 };

static int come(MPI_Datatype type) {
  int from[2 * rows], to[2 * rows], count = 0;
  MPI_Request request;
  for (int i = 0; i < 2 * rows; i++) from[i] = i + 1, to[i] = 0;
  MPI_Irecv(to, 1, type, 0, 0, MPI_COMM_SELF, &request);
  MPI_Send(from, 1, type, 0, 0, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < 2 * rows; i++) count += to[i] == (i % 2 == 0 ? i + 1 : 0);
  return count == 2 * rows;
}

static int in_finalize(MPI_Comm comm, int keyval, void* type, void* extra) {
  (void)comm, (void)keyval, (void)extra;
  static MPI_Comm copies[most];
  int made = 0;
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  while (made < most && MPI_Comm_dup(MPI_COMM_SELF, &copies[made]) == MPI_SUCCESS) made++;
  for (int i = 0; i < made; i++) MPI_Comm_free(&copies[i]);
  printf("communicators: %d, the message has come: %d\n", made, come(*(MPI_Datatype*)type));
  fflush(stdout);
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  static MPI_Datatype type;
  int keyval;
  MPI_Init(&argc, &argv);
  MPI_Type_vector(rows, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  printf("before: %d\n", come(type));
  fflush(stdout);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, in_finalize, &keyval, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, keyval, &type);
  MPI_Finalize();
  return 0;
}
