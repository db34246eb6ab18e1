// Ranks that compute and meet for SECONDS.
//   cores SECONDS [bind CORE] [move AFTER] [threads N]
// bind: each rank binds itself to that core; move: after so many seconds rank N binds itself to core N; threads: as many
// of each rank compute, until the end.
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void bind_to(int core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  if (sched_setaffinity(0, sizeof cores, &cores) != 0) perror("sched_setaffinity");
}
static void work(double seconds) {
  const double end = MPI_Wtime() + seconds;
  while (MPI_Wtime() < end) continue;
}
static void* work_on(void* nothing) {
  volatile unsigned long turns = 0;
  while (1) ++turns;
  return nothing;
}

int main(int count, char** words) {
  int rank, level, moved = 0, more = 1;
  MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double seconds = atof(words[1]), move = -1;
  const double began = MPI_Wtime();
  pthread_t thread;
  for (int i = 2; i + 1 < count; i += 2) {
    if (strcmp(words[i], "bind") == 0) bind_to(atoi(words[i + 1]));
    if (strcmp(words[i], "move") == 0) move = atof(words[i + 1]);
    for (int n = atoi(words[i + 1]); strcmp(words[i], "threads") == 0 && n > 1; --n)
      pthread_create(&thread, NULL, work_on, NULL);
  }
  while (more) {
    work(0.02);
    if (move >= 0 && !moved && MPI_Wtime() - began > move) bind_to(rank), moved = 1;
    more = MPI_Wtime() - began < seconds;
    MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  if (rank == 0) puts("done");
  return 0;
}
