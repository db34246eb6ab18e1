// A program whose MPI calls are all PMPI_ calls runs as if Marshal were not there, and its frees open no library of
// Marshal's.
// cluster: nodes=1 ranks=2 report=no
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int has_opened_a_family(void) {
  char line[4096];
  int found = 0;
  FILE* const maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) found |= strstr(line, "/libmarshal-") != NULL;
  if (maps != NULL) fclose(maps);
  return found;
}

int main(int argc, char** argv) {
  MPI_Comm communicator;
  MPI_Group group;
  MPI_Datatype type;
  MPI_Request request;
  int out = 1;
  PMPI_Init(&argc, &argv);
  PMPI_Comm_dup(MPI_COMM_WORLD, &communicator);
  PMPI_Comm_group(communicator, &group);
  PMPI_Type_contiguous(2, MPI_INT, &type);
  PMPI_Send_init(&out, 1, MPI_INT, 0, 0, communicator, &request);
  int wrong = PMPI_Request_free(&request) != MPI_SUCCESS || request != MPI_REQUEST_NULL;
  wrong += PMPI_Type_free(&type) != MPI_SUCCESS || type != MPI_DATATYPE_NULL;
  wrong += PMPI_Group_free(&group) != MPI_SUCCESS || group != MPI_GROUP_NULL;
  wrong += PMPI_Comm_free(&communicator) != MPI_SUCCESS || communicator != MPI_COMM_NULL;
  PMPI_Comm_dup(MPI_COMM_WORLD, &communicator);
  wrong += PMPI_Comm_disconnect(&communicator) != MPI_SUCCESS || communicator != MPI_COMM_NULL;
  wrong += has_opened_a_family();
  PMPI_Finalize();
  if (wrong) printf("%d wrong\n", wrong);
  return wrong;
}
