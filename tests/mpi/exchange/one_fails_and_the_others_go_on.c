/* One process makes a mistake in an exchange by nodes. The others get their data, and later exchanges are right: after a call that the
 * host refuses, which the process makes again, as after one in which more comes than it receives. (Open MPI itself hangs after that.) */
// cluster: sizes=1,3,2 env=MARSHAL_EXCHANGE=on exchanges=yes args=60,receives_less
// cluster: nodes=2 ranks=4 cyclic=yes env=MARSHAL_EXCHANGE=auto exchanges=yes args=1500
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { most_ranks = 64, wrong = 1 };
static int rank, size, call_number;

static void fail(const char *what, int code) {
  printf("rank %d, call %d: %s (%d)\n", rank, call_number, what, code);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

struct arguments {
  int counts[most_ranks], places[most_ranks], bytes[most_ranks];
  MPI_Datatype types[most_ranks];
};
static struct arguments blocks_of(int count) {
  struct arguments a;
  for (int i = 0; i < most_ranks; ++i) a.counts[i] = count, a.places[i] = 2 * i, a.bytes[i] = 8 * i, a.types[i] = MPI_INT;
  return a;
}

/* Two numbers for each process; `receive`: what this process asks for. */
static int exchange(const struct arguments *receive, int *in, MPI_Comm comm) {
  const struct arguments send = blocks_of(2);
  int out[2 * most_ranks];
  for (int i = 0; i < 2 * size; ++i) out[i] = call_number * 10000 + rank * 100 + i;
  switch (call_number % 3) {
    case 0: return MPI_Alltoall(out, 2, MPI_INT, in, receive->counts[0], MPI_INT, comm);
    case 1:
      return MPI_Alltoallv(out, send.counts, send.places, MPI_INT, in, receive->counts, receive->places, MPI_INT, comm);
    default:
      return MPI_Alltoallw(out, send.counts, send.bytes, send.types, in, receive->counts, receive->bytes, receive->types,
                           comm);
  }
}

static void check(const int *in, int code) {
  if (code != MPI_SUCCESS) fail("an error", code);
  for (int i = 0; i < 2 * size; ++i)
    if (in[i] != call_number * 10000 + i / 2 * 100 + 2 * rank + i % 2) fail("other data", in[i]);
}
static void right_call(MPI_Comm comm) {
  const struct arguments right = blocks_of(2);
  int in[2 * most_ranks];
  for (int i = 0; i < 2 * size; ++i) in[i] = -1;
  check(in, exchange(&right, in, comm));
}

static void one_is_refused(MPI_Comm comm) {
  struct arguments refused = blocks_of(-1);
  int in[2 * most_ranks], class = 0;
#ifdef OPEN_MPI /* it compares what a process sends to itself with what that receives */
  if (call_number % 3 != 0 && call_number % 2) refused = blocks_of(2), refused.counts[rank] = 1;
#endif
  if (rank == wrong) {
    const int code = exchange(&refused, in, comm);
    MPI_Error_class(code, &class);
    if (class != MPI_ERR_COUNT && class != MPI_ERR_ARG && class != MPI_ERR_TRUNCATE) fail("no error, or another one", code);
  }
  right_call(comm);
}

static void one_receives_less(MPI_Comm comm) {
  struct arguments less = blocks_of(1);
  int in[2 * most_ranks], class = 0;
  for (call_number = 0; call_number < 3; ++call_number) right_call(comm); /* which go by nodes, where they may at once */
  less.counts[rank] = 2;
  for (; call_number < 9; ++call_number)
    if (rank == wrong && call_number % 3 != 0) {
      MPI_Error_class(exchange(&less, in, comm), &class);
      if (class != MPI_ERR_TRUNCATE) fail("another class of error", class);
    } else {
      right_call(comm);
    }
}

int main(int argc, char **argv) {
  MPI_Comm comm;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int calls = argc > 1 ? atoi(argv[1]) : 60;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  /* A prime number: calls of all kinds, in rows of all kinds. */
  for (call_number = 0; call_number < calls; ++call_number) call_number % 7 == 6 ? one_is_refused(comm) : right_call(comm);
  MPI_Comm_free(&comm);
  if (argc > 2) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    one_receives_less(comm);
    MPI_Comm_free(&comm);
  }
  MPI_Finalize();
  return 0;
}
