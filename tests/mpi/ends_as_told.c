// Makes a grid that moves ranks (with MAKES=graph a graph) and ends as the variable ENDS says; the next run has the same
// arguments. ENDS=finalize, exit, status, abort, kill (rank 0), lose (another rank), hang. ENDS=late: it is killed
// eleven minutes after the move, by its clock. ENDS=wait: in order, as soon as the directory WAITS_IN has a file "go".
// cluster: nodes=2 ranks=8 cyclic=yes
// cluster: nodes=2 ranks=8 cyclic=yes env=MAKES=graph
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// The clock of the whole process: libraries find this function before that of the C library.
static volatile long seconds_ahead;
int clock_gettime(clockid_t clock, struct timespec *now) {
  const long result = syscall(SYS_clock_gettime, clock, now);
  if (clock != CLOCK_REALTIME) now->tv_sec += seconds_ahead;
  return (int)result;
}

static int is(const char *variable, const char *value) {
  const char *const set = getenv(variable);
  return set != NULL && strcmp(set, value) == 0;
}

static void wait_in(const char *directory) {
  char name[4096];
  snprintf(name, sizeof name, "%s/ready", directory);
  fclose(fopen(name, "w"));
  snprintf(name, sizeof name, "%s/go", directory);
  for (int tries = 0; access(name, F_OK) != 0 && tries < 6000; ++tries) usleep(10000);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const int dims[2] = {2, 4}, periods[2] = {1, 1};
  int before, after, all;
  MPI_Comm made;
  MPI_Comm_rank(MPI_COMM_WORLD, &before);
  if (is("MAKES", "graph")) {
    const int partner = before ^ 1;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &partner, MPI_UNWEIGHTED, 1, &partner, MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &made);
  } else {
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &made);
  }
  MPI_Comm_rank(made, &after);
  const int moved = before != after;
  MPI_Allreduce(&moved, &all, 1, MPI_INT, MPI_SUM, made);
  if (before == 0) printf("%d moved\n", all);
  fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);

  if (is("ENDS", "exit")) {
    if (before != 0) sleep(2);  // a launcher may end the job once a process has left: the one that keeps the note leaves first
    exit(0);
  }
  if (is("ENDS", "status")) exit(3);
  if (is("ENDS", "abort") && before == 0) MPI_Abort(MPI_COMM_WORLD, 0);
  if (is("ENDS", "kill") && before == 0) raise(SIGKILL);
  if (is("ENDS", "lose") && before == 5) raise(SIGKILL);
  if (is("ENDS", "late")) {
    seconds_ahead = 660;
    MPI_Allreduce(&moved, &all, 1, MPI_INT, MPI_SUM, made);
    MPI_Barrier(MPI_COMM_WORLD);
    if (before == 0) raise(SIGKILL);
  }
  if (is("ENDS", "wait") && before == 0) wait_in(getenv("WAITS_IN"));
  if (is("ENDS", "hang") || is("ENDS", "abort") || is("ENDS", "kill") || is("ENDS", "lose") || is("ENDS", "late")) pause();
  MPI_Comm_free(&made);
  MPI_Finalize();
  return 0;
}
