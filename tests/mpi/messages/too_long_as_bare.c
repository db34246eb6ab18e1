// A message that is too long for the receiver's buffer with gaps: the code, the part that is delivered, what lies
// around it and the calls of error handlers are the bare host's. The memory of the process stays as it was.
//
// cluster: nodes=1 ranks=2 compare=lines env=MARSHAL_MESSAGES=calls env=MARSHAL_PACK=mars
// cluster: nodes=2 ranks=2 compare=lines env=MARSHAL_MESSAGES=calls env=MARSHAL_PACK=mars
// cluster: nodes=1 ranks=2 compare=lines env=MARSHAL_MESSAGES=auto
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most = 20000, sizes = 5, ways = 6, untouched = 0x55555555 };
static int me, handled, from[most], to[2 * most];

static void on_error(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
  handled++;
}

static int class_of(int code) {
  int class = MPI_SUCCESS;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &class);
  return class;
}

static int receive(int way, int count, MPI_Datatype type) {
  MPI_Request request;
  MPI_Message message;
  MPI_Status status, statuses[1];
  switch (way) {
    case 0:
      return MPI_Recv(to, count, type, 0, way, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    case 1:
      return MPI_Sendrecv(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, to, count, type, 0, way, MPI_COMM_WORLD, &status);
    case 2:
      return MPI_Sendrecv_replace(to, count, type, MPI_PROC_NULL, 0, 0, way, MPI_COMM_WORLD, &status);
    case 3:
      MPI_Mprobe(0, way, MPI_COMM_WORLD, &message, &status);
      return MPI_Mrecv(to, count, type, &message, &status);
    case 4:
      MPI_Irecv(to, count, type, 0, way, MPI_COMM_WORLD, &request);
      return MPI_Wait(&request, &status);
    default:
      MPI_Irecv(to, count, type, 0, way, MPI_COMM_WORLD, &request);
      return MPI_Waitall(1, &request, statuses);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  for (int i = 0; i < most; i++) from[i] = i + 1;
  static const int rows[sizes] = {1, 3, 100, 1500, 6000};
  for (int repeat = 0; repeat < 10; repeat++) {
    for (int s = 0; s < sizes; s++) {
      MPI_Datatype type;
      MPI_Type_vector(rows[s], 1, 2, MPI_INT, &type);
      MPI_Type_commit(&type);
      for (int way = 0; way < ways; way++)
        for (int more = 1; more <= most; more = 50 * more + 3) {
          const int sent = rows[s] + more > most ? most : rows[s] + more;
          MPI_Barrier(MPI_COMM_WORLD);
          if (me == 0) {
            MPI_Send(from, sent, MPI_INT, 1, way, MPI_COMM_WORLD);
            continue;
          }
          int delivered = 0, others = 0;
          handled = 0;
          memset(to, 0x55, sizeof to);
          const int class = class_of(receive(way, 1, type));
          for (int i = 0; i < 2 * most; i++)
            if (i % 2 == 0 && i < 2 * rows[s] && to[i] == i / 2 + 1)
              delivered++;
            else if (to[i] != untouched)
              others++;
          printf("way %d, %d of %d: class %d, handled %d, %d delivered, %d others\n", way, rows[s], sent, class, handled,
                 delivered, others);
        }
      MPI_Type_free(&type);
    }
  }
  MPI_Errhandler_free(&handler);
  MPI_Finalize();
  return 0;
}
