/* The functions of marshal.h: null without Marshal, and answers at any time with it, before MPI_Init and after
 * MPI_Finalize, too. */
// cluster: nodes=2 ranks=4
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "wrappers/actions/marshal.h"

static int wrong;
#define CHECK(condition) \
  if (!(condition)) wrong++, printf("line %d: %s\n", __LINE__, #condition)

int main(int argc, char** argv) {
  int rank, size, group = -1, lpid = -1, back = -1;
  size_t bytes = 0;
  const char* model = NULL;
  if (marshal_comm_process == NULL) {
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    return 0;
  }
  CHECK(marshal_comm_size(MPI_COMM_WORLD, &size) == MARSHAL_UNKNOWN_COMM);
  CHECK(marshal_node(0) == -1);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm turned;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
  CHECK(marshal_comm_size(turned, &size) == MARSHAL_SUCCESS && size == 4);
  CHECK(marshal_comm_process(turned, 0, &group, &lpid) == MARSHAL_SUCCESS && group == 0 && lpid == 3);
  CHECK(marshal_comm_rank(turned, 0, 3, &back) == MARSHAL_SUCCESS && back == 0);
  CHECK(marshal_comm_process(turned, 4, &group, &lpid) == MARSHAL_NO_RANK);
  CHECK(marshal_comm_map(turned, &bytes, &model) == MARSHAL_SUCCESS && bytes > 0 && strlen(model) > 0);
  CHECK(marshal_node(0) == 0 && marshal_node(3) == 1 && marshal_node(4) == -1);
  MPI_Comm_free(&turned);
  MPI_Finalize();
  marshal_node(0);
  return wrong != 0;
}
