// Four collective calls a step, of which one is late on one rank, by a part of the step (late). It prints how long
// its processes waited in each for the last one, in seconds, by a clock that all of them share: emulated nodes do.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { calls = 4, most_steps = 1000, most_ranks = 16 };
static double entered[most_steps][calls];
static double all[most_ranks][most_steps][calls];

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static void work(double seconds) {
  struct timespec t = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
  nanosleep(&t, NULL);
}

/* STEPS SECONDS-A-STEP LATE-RANK LATE-CALL PART */
int main(int argc, char **argv) {
  if (argc != 6) return 2;
  const int steps = atoi(argv[1]), late = atoi(argv[3]), late_call = atoi(argv[4]);
  const double seconds = atof(argv[2]), part = atof(argv[5]);
  int rank, size, counts[most_ranks];
  double sum[most_ranks], own[most_ranks] = {0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (steps > most_steps || size > most_ranks) return 2;
  for (int i = 0; i < size; ++i) counts[i] = 1;
  for (int step = 0; step < steps; ++step)
    for (int call = 0; call < calls; ++call) {
      work(seconds / calls + (rank == late && call == late_call ? seconds * part : 0));
      entered[step][call] = now();
      if (call == 0) MPI_Barrier(MPI_COMM_WORLD);
      if (call == 1) MPI_Allreduce(own, sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      if (call == 2) MPI_Alltoall(own, 1, MPI_DOUBLE, sum, 1, MPI_DOUBLE, MPI_COMM_WORLD);
      if (call == 3) MPI_Reduce_scatter(own, sum, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
  /* No call that ends together: the report's times are those of the calls above alone. */
  MPI_Gather(entered, most_steps * calls, MPI_DOUBLE, all, most_steps * calls, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  static const char *const names[] = {"MPI_Barrier", "MPI_Allreduce", "MPI_Alltoall", "MPI_Reduce_scatter"};
  for (int call = 0; rank == 0 && call < calls; ++call) {
    double waited = 0;
    for (int step = 0; step < steps; ++step) {
      double last = 0;
      for (int r = 0; r < size; ++r) last = all[r][step][call] > last ? all[r][step][call] : last;
      for (int r = 0; r < size; ++r) waited += last - all[r][step][call];
    }
    printf("%s %.9f\n", names[call], waited);
  }
  MPI_Finalize();
  return 0;
}
