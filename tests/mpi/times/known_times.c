// The report's times are those that the program measures by MPI_Wtime round its calls (check_times): ranks that sleep
// unevenly before a barrier, a ring in which one is late, regions within each other, a pause, two threads.
// cluster: nodes=2 ranks=4 times=yes
// cluster: ranks=3 times=yes env=MARSHAL_CALLSITES=off
// cluster: ranks=2 times=yes args=skip env=MARSHAL_TIME=skip-init
// cluster: ranks=2 times=yes env=HIDDEN=/proc/self/mem
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Libraries call this one, too: a file may be hidden from them, as containers hide parts of /proc.
int open(const char *path, int flags, ...) {
  const char *hidden = getenv("HIDDEN");
  va_list more;
  va_start(more, flags);
  const mode_t mode = va_arg(more, mode_t);
  va_end(more);
  if (hidden == NULL || strcmp(path, hidden) != 0) return openat(AT_FDCWD, path, flags, mode);
  errno = ENOENT;
  return -1;
}

enum { most_calls = 16 };
struct Sum {
  const char *name;
  double seconds;
};
static struct Sum calls[most_calls];
static double in_mpi, paused, others;
static int rank, size, is_pausing;

static void add(const char *name, double seconds) {
  int i = 0;
  if (is_pausing) return;
  while (calls[i].name != NULL && strcmp(calls[i].name, name) != 0) ++i;
  calls[i].name = name;
  calls[i].seconds += seconds;
  in_mpi += seconds;
}
#define TIMED(name, call)           \
  do {                              \
    const double t = MPI_Wtime();   \
    call;                           \
    add(name, MPI_Wtime() - t);     \
  } while (0)

static void sleep_ms(int ms) {
  const struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
  nanosleep(&t, NULL);
}

static void uneven_barriers(MPI_Comm comm) {
  for (int i = 0; i < 5; ++i) {
    sleep_ms(20 * (rank + 1));
    TIMED("MPI_Barrier", MPI_Barrier(comm));
  }
}

static void late_in_a_ring(MPI_Comm comm) {
  int out = rank, in = -1;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  for (int i = 0; i < 5; ++i) {
    if (rank == 1) sleep_ms(40);
    MPI_Irecv(&in, 1, MPI_INT, (rank + size - 1) % size, 1, comm, &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, (rank + 1) % size, 1, comm, &requests[1]);
    TIMED("MPI_Waitall", MPI_Waitall(2, requests, statuses));
  }
  for (int i = 0; i < 5; ++i) {
    if (rank != 0) TIMED("MPI_Recv", MPI_Recv(&in, 1, MPI_INT, rank - 1, 2, comm, MPI_STATUS_IGNORE));
    if (rank == 0) sleep_ms(30);
    if (rank != size - 1) TIMED("MPI_Send", MPI_Send(&out, 1, MPI_INT, rank + 1, 2, comm));
  }
}

static void nested_regions(MPI_Comm comm) {
  const double run_before = MPI_Wtime(), mpi_before = in_mpi;
  double inner_run = 0, inner_mpi = 0;
  MPI_Pcontrol(2, "outer");
  uneven_barriers(comm);
  for (int i = 0; i < 2; ++i) {
    const double inner_began = MPI_Wtime(), inner_mpi_before = in_mpi;
    MPI_Pcontrol(2, "inner");
    late_in_a_ring(comm);
    MPI_Pcontrol(-2, "inner");
    inner_run += MPI_Wtime() - inner_began;
    inner_mpi += in_mpi - inner_mpi_before;
  }
  MPI_Pcontrol(-2, "outer");
  MPI_Pcontrol(-2, "never entered");
  MPI_Pcontrol(7);
  /* Of another tool, which names nothing. A call without the second argument would leave a register to chance. */
  MPI_Pcontrol(2, (char *)1);
  printf("timed %d region outer %.9f %.9f\n", rank, MPI_Wtime() - run_before, in_mpi - mpi_before);
  printf("timed %d region inner %.9f %.9f\n", rank, inner_run, inner_mpi);
}

static void pause_times(MPI_Comm comm) {
  const double began = MPI_Wtime();
  MPI_Pcontrol(0);
  is_pausing = 1;
  uneven_barriers(comm);
  is_pausing = 0;
  MPI_Pcontrol(1);
  paused = MPI_Wtime() - began;
}

static void *second_thread(void *at) {
  const MPI_Comm comm = *(MPI_Comm *)at;
  int out = rank, in = -1;
  MPI_Pcontrol(0); /* of another thread than the one that began MPI: it changes nothing */
  MPI_Pcontrol(2, "of another thread");
  for (int i = 0; i < 5; ++i) {
    if (rank == 0) sleep_ms(30);
    const double t = MPI_Wtime();
    MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, 3, &in, 1, MPI_INT, (rank + size - 1) % size, 3, comm,
                 MPI_STATUS_IGNORE);
    others += MPI_Wtime() - t;
  }
  return NULL;
}

static void two_threads(MPI_Comm comm, MPI_Comm of_second) {
  pthread_t second;
  pthread_create(&second, NULL, second_thread, &of_second);
  uneven_barriers(comm);
  pthread_join(second, NULL);
  printf("timed %d others %.9f\n", rank, others);
}

int main(int argc, char **argv) {
  int provided = 0;
  MPI_Comm one, two;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  double began = MPI_Wtime();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 1) { /* all before the first MPI_Pcontrol(1) is left out */
    MPI_Barrier(MPI_COMM_WORLD);
    sleep_ms(100);
    MPI_Pcontrol(1);
    began = MPI_Wtime();
  }
  TIMED("MPI_Comm_dup", MPI_Comm_dup(MPI_COMM_WORLD, &one));
  TIMED("MPI_Comm_dup", MPI_Comm_dup(MPI_COMM_WORLD, &two));
  uneven_barriers(one);
  nested_regions(one);
  pause_times(one);
  if (provided == MPI_THREAD_MULTIPLE) two_threads(one, two);
  for (int i = 0; calls[i].name != NULL; ++i) printf("timed %d call %s %.9f\n", rank, calls[i].name, calls[i].seconds);
  TIMED("MPI_Comm_free", MPI_Comm_free(&one));
  TIMED("MPI_Comm_free", MPI_Comm_free(&two));
  printf("timed %d run %.9f %.9f\n", rank, MPI_Wtime() - began - paused, in_mpi);
  MPI_Finalize();
  return 0;
}
