// A program of sessions only, in one process. MPICH 4.0.2 itself crashes in a nonblocking collective there, so Marshal must start none.
// cluster: nodes=1 ranks=1 args=mpi://SELF
// cluster: nodes=1 ranks=1 args=mpi://WORLD
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm all, copy;
  int size = 0;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, argc > 1 ? argv[1] : "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &all);
  MPI_Comm_dup(all, &copy);
  MPI_Comm_size(copy, &size);
  printf("%d process\n", size);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&all);
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
  return 0;
}
