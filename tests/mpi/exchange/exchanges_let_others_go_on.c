/* Exchanges by nodes wait as the host's do: messages and one-sided accesses that others wait for go on meanwhile, threads make exchanges
 * of two communicators in any order, and one process may make its own in an error handler. */
// cluster: sizes=1,3,2 env=MARSHAL_EXCHANGE=on exchanges=yes env4=OMPI_MCA_osc=pt2pt
// cluster: sizes=1,3,2 env=MARSHAL_EXCHANGE=on exchanges=yes args=threads
// cluster: nodes=2 ranks=4 cyclic=yes env=MARSHAL_EXCHANGE=on exchanges=yes args=threads
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { most_ranks = 64, large = 1 << 20, rounds = 40 };
static int rank, size, level;

static void fail(const char *what) {
  printf("rank %d: %s\n", rank, what);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Every block says who sent it, to whom, and in which round. */
static void exchange(MPI_Comm comm, int salt) {
  int own, n, out[most_ranks], in[most_ranks], counts[most_ranks], places[most_ranks];
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &n);
  for (int i = 0; i < n; ++i) {
    out[i] = salt * 10000 + own * 100 + i;
    in[i] = -1;
    counts[i] = 1;
    places[i] = i;
  }
#if MPI_VERSION >= 4
  if (salt % 5 == 3) {
    MPI_Alltoall_c(out, 1, MPI_INT, in, 1, MPI_INT, comm);
  } else
#endif
      if (salt % 2)
    MPI_Alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, comm);
  else
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm);
  for (int i = 0; i < n; ++i)
    if (in[i] != salt * 10000 + i * 100 + own) fail("other data");
}

/* The first process sends, and the last one wants to have it before it comes to the exchange. */
static void a_long_message_goes_on(void) {
  int *data = calloc(large, sizeof *data);
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 0) MPI_Isend(data, large, MPI_INT, size - 1, 7, MPI_COMM_WORLD, &request);
  if (rank == size - 1) MPI_Recv(data, large, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  exchange(MPI_COMM_WORLD, 1);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  free(data);
}

static void a_one_sided_access_goes_on(void) {
  int *memory, got[8] = {0};
  MPI_Win window;
  MPI_Alloc_mem(8 * sizeof *memory, MPI_INFO_NULL, &memory);
  for (int i = 0; i < 8; ++i) memory[i] = rank * 10 + i;
  MPI_Win_create(memory, 8 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, size - 1, 0, window);
    MPI_Get(got, 8, MPI_INT, size - 1, 0, 8, MPI_INT, window);
    MPI_Win_unlock(size - 1, window);
    for (int i = 0; i < 8; ++i)
      if (got[i] != (size - 1) * 10 + i) fail("other data by MPI_Get");
  }
  exchange(MPI_COMM_WORLD, 2);
  MPI_Win_free(&window);
  MPI_Free_mem(memory);
}

static void handle(MPI_Comm *comm, int *code, ...) {
  (void)comm, (void)code;
  exchange(MPI_COMM_WORLD, 3);
}
/* The host calls the handler within the call that fails. */
static void one_is_in_its_error_handler(void) {
  MPI_Comm own;
  MPI_Errhandler handler;
  MPI_Comm_dup(MPI_COMM_SELF, &own);
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_set_errhandler(own, handler);
  int data = 0;
  if (rank == 1)
    MPI_Send(&data, 1, MPI_INT, 5, 0, own);
  else
    exchange(MPI_COMM_WORLD, 3);
  for (int i = 4; i < 8; ++i) exchange(MPI_COMM_WORLD, i);
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&own);
}

static void *of_thread(void *comm) {
  for (int i = 0; i < rounds; ++i) exchange(*(MPI_Comm *)comm, i);
  return NULL;
}
static void threads_have_a_communicator_each(void) {
  MPI_Comm first, second;
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &second);
  pthread_t other;
  /* Even ranks begin with the first one, odd ones with the second. */
  pthread_create(&other, NULL, of_thread, rank % 2 ? &first : &second);
  of_thread(rank % 2 ? &second : &first);
  pthread_join(other, NULL);
  MPI_Comm_free(&first);
  MPI_Comm_free(&second);
}

int main(int argc, char **argv) {
  const int with_threads = argc > 1, asked = with_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, asked, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 4; ++i) exchange(MPI_COMM_WORLD, i);
  if (with_threads && level != MPI_THREAD_MULTIPLE) {
    if (rank == 0) printf("SKIP: no MPI_THREAD_MULTIPLE\n");
  } else if (with_threads) {
    threads_have_a_communicator_each();
  } else {
    a_long_message_goes_on();
    a_one_sided_access_goes_on(); /* Open MPI 4 has none over TCP with threads */
    one_is_in_its_error_handler();
  }
  MPI_Finalize();
  return 0;
}
