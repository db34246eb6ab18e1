// The end of a session that is none is an error, of which the host ends the job. It is not the end of a job: process 0
// would wait there for the others, and they wait for it.
// cluster: nodes=1 ranks=2 timeout=30 compare=no exit=failure report=any
#include <mpi.h>

int main(void) {
  MPI_Session session, none = MPI_SESSION_NULL;
  MPI_Group group;
  MPI_Comm world;
  int rank;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "world", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &world);
  MPI_Comm_rank(world, &rank);
  if (rank == 0) MPI_Session_finalize(&none);
  MPI_Barrier(world);
  MPI_Comm_free(&world);
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
  return 0;
}
