// Sends columns of 8 bytes, from memory that is a device's if the argument is a library that says so, and columns of 16
// bytes from the host's. Run with that library by buffers_on_devices_are_passed_on.
//
// cluster: nodes=1 ranks=2 env=MARSHAL_MESSAGES=calls env=MARSHAL_PACK=mars
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { rows = 4096, row = 4, messages = 40 };

int main(int argc, char** argv) {
  void* library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
  void (*fake_device)(const void*, const void*) = NULL;
  if (library != NULL) *(void**)&fake_device = dlsym(library, "fake_device");
  if (argc > 1 && fake_device == NULL) return fprintf(stderr, "no library of devices\n"), 2;
  MPI_Init(&argc, &argv);
  int me, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  for (int on_host = 0; on_host <= 1; on_host++) {
    double* buffer = malloc(rows * row * sizeof *buffer);
    if (!on_host && fake_device != NULL) fake_device(buffer, buffer + rows * row);
    MPI_Datatype columns;
    MPI_Type_vector(rows, on_host ? 2 : 1, row, MPI_DOUBLE, &columns);
    MPI_Type_commit(&columns);
    for (int n = 0; n < messages; n++) {
      for (int i = 0; i < rows * row; i++) buffer[i] = me == 0 ? i + n : -1;
      if (me == 0)
        MPI_Send(buffer, 1, columns, 1, n, MPI_COMM_WORLD);
      else
        MPI_Recv(buffer, 1, columns, 0, n, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int i = 0; i < rows * row && me == 1; i++) wrong += buffer[i] != (i % row < (on_host ? 2 : 1) ? i + n : -1);
    }
    MPI_Type_free(&columns);
    if (on_host) free(buffer);  // the device's memory stays, as its addresses must not come again
  }
  if (wrong) printf("%d numbers are wrong\n", wrong);
  MPI_Finalize();
  return wrong != 0;
}
