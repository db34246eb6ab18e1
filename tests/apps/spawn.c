// Spawns itself, merges with the children, and makes communicators of both generations.
// cluster: nodes=1 ranks=2 env=MARSHAL_SELF_CHECK=on report=any timeout=60
#include <mpi.h>
#include <stdio.h>

static void show(const char* name, const char* who, MPI_Comm comm) {
  int rank, size, sum, world_rank;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  const int mine = world_rank + 1;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
  printf("%s: %s %d is %d of %d, sum %d\n", name, who, world_rank, rank, size, sum);
  fflush(stdout);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm parent, across, merged, other;
  MPI_Comm_get_parent(&parent);
  const char* who = parent == MPI_COMM_NULL ? "parent" : "child";
  if (parent == MPI_COMM_NULL) {
    int errors[2];
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &across, errors);
  } else {
    across = parent;
  }
  int remote;
  MPI_Comm_remote_size(across, &remote);
  printf("across: %s sees %d\n", who, remote);
  MPI_Intercomm_merge(across, parent != MPI_COMM_NULL, &merged);
  show("merged", who, merged);
  int rank;
  MPI_Comm_rank(merged, &rank);
  MPI_Comm_split(merged, rank % 2, -rank, &other);
  show("split of merged", who, other);
  MPI_Comm_free(&other);
  MPI_Comm_dup(merged, &other);
  show("dup of merged", who, other);
  MPI_Comm_free(&other);
  MPI_Comm_free(&merged);
  MPI_Comm_disconnect(&across);
  MPI_Finalize();
  return 0;
}
