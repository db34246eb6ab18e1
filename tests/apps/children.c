// A program that forks, and that starts a shell: its children inherit LD_PRELOAD; Marshal leaves them alone, and they write no report.
// cluster: nodes=1 ranks=2
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, status;
  MPI_Comm comm;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) exit(5); // runs this process's destructors, not MPI
  waitpid(child, &status, 0);
  printf("%d: child ended with %d\n", rank, WEXITSTATUS(status));
  FILE* shell = popen("echo shell; sh -c 'echo deeper | cat'", "r");
  char line[64];
  while (fgets(line, sizeof line, shell)) printf("%d: %s", rank, line);
  printf("%d: shell ended with %d\n", rank, pclose(shell));
  MPI_Barrier(comm);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
