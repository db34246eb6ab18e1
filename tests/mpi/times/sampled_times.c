// The report's times of calls that are not timed each are those that the program measures by MPI_Wtime round them
// (check_times): few long ones behind many short ones, many short ones, and many of mixed sizes.
// cluster: times=yes args=long
// cluster: times=yes args=long env=MARSHAL_MODE=observe
// cluster: times=yes args=short
// cluster: times=yes args=mixed
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_calls = 64, many = 600, few = 16, most_bytes = 8 << 20, list_length = 50000 };
static struct {
  const char *name;
  double seconds;
} calls[most_calls];
static double in_mpi;
static char *from, *to;
static MPI_Comm self;
static MPI_Win window;
static MPI_Status statuses[2];

/* What two readings of the clock take by themselves: on some virtual machines more than a short call. */
static double two_readings;
static void look_at_clock(void) {
  two_readings = 1;
  for (int i = 0; i < 1000; ++i) {
    const double t = MPI_Wtime(), seconds = MPI_Wtime() - t;
    if (seconds < two_readings) two_readings = seconds;
  }
}

static void add(const char *name, double seconds) {
  int i = 0;
  seconds -= two_readings;
  while (calls[i].name != NULL && strcmp(calls[i].name, name) != 0) ++i;
  calls[i].name = name;
  calls[i].seconds += seconds;
  in_mpi += seconds;
}
#define TIMED(call, arguments)          \
  do {                                  \
    const double t = MPI_Wtime();       \
    MPI_##call arguments;               \
    add("MPI_" #call, MPI_Wtime() - t); \
  } while (0)
/* Many in a row, as two readings of the clock may take longer than one of them. */
#define SHORT(times, call, arguments)                       \
  do {                                                      \
    const double t = MPI_Wtime();                           \
    for (int i = 0; i < (times); ++i) MPI_##call arguments; \
    add("MPI_" #call, MPI_Wtime() - t);                     \
  } while (0)

/* Of many short calls most are not timed. So no other process is to take the processor in one of them; where the system does not allow
 * that, several tries have to do. */
static void keep_the_processor(int keep) {
  const struct sched_param first = {.sched_priority = 1}, none = {0};
  sched_setscheduler(0, keep ? SCHED_FIFO : SCHED_OTHER, keep ? &first : &none);
}

/* Calls that move data, each from one place for all sizes. */
static void move(int bytes) {
  const int reals = bytes / 8;
  int at;
  MPI_Request requests[2];
  TIMED(Pack, (from, bytes, MPI_BYTE, to, most_bytes, (at = 0, &at), self));
  TIMED(Unpack, (from, most_bytes, (at = 0, &at), to, bytes, MPI_BYTE, self));
  TIMED(Reduce_local, (from, to, reals, MPI_DOUBLE, MPI_MAX));
  TIMED(Irecv, (to, bytes, MPI_BYTE, 0, 1, self, &requests[0]));
  TIMED(Isend, (from, bytes, MPI_BYTE, 0, 1, self, &requests[1]));
  TIMED(Waitall, (2, requests, statuses));
  TIMED(Put, (from, bytes, MPI_BYTE, 0, 0, bytes, MPI_BYTE, window));
  TIMED(Win_flush, (0, window));
  TIMED(Get, (to, bytes, MPI_BYTE, 0, 0, bytes, MPI_BYTE, window));
  TIMED(Win_flush, (0, window));
  TIMED(Accumulate, (from, reals, MPI_DOUBLE, 0, 0, reals, MPI_DOUBLE, MPI_MAX, window));
  TIMED(Win_flush, (0, window));
  TIMED(Get_accumulate, (from, reals, MPI_DOUBLE, to, reals, MPI_DOUBLE, 0, 0, reals, MPI_DOUBLE, MPI_MAX, window));
  TIMED(Win_flush, (0, window));
  TIMED(Rput, (from, bytes, MPI_BYTE, 0, 0, bytes, MPI_BYTE, window, &requests[0]));
  TIMED(Wait, (&requests[0], MPI_STATUS_IGNORE));
}

/* Calls of the program's functions, which work. */
static void work(void) {
  const double t = MPI_Wtime();
  while (MPI_Wtime() - t < 0.004) continue;
}
static int query(void *state, MPI_Status *status) {
  (void)state;
  work();
  MPI_Status_set_elements(status, MPI_BYTE, 0);
  MPI_Status_set_cancelled(status, 0);
  return MPI_SUCCESS;
}
static int freed(void *state) {
  (void)state;
  return MPI_SUCCESS;
}
static int freed_late(void *state) {
  (void)state;
  work();
  return MPI_SUCCESS;
}
static int cancelled(void *state, int complete) {
  (void)state, (void)complete;
  work();
  return MPI_SUCCESS;
}
static int copy(MPI_Datatype type, int key, void *state, void *in, void *out, int *copied) {
  (void)type, (void)key, (void)state, (void)in, (void)out;
  work();
  return *copied = 0, MPI_SUCCESS;
}
static int delete(MPI_Datatype type, int key, void *value, void *state) {
  (void)type, (void)key, (void)value, (void)state;
  work();
  return MPI_SUCCESS;
}

static MPI_Request ended_request(int (*when_freed)(void *)) {
  MPI_Request request;
  TIMED(Grequest_start, (query, when_freed, cancelled, NULL, &request));
  MPI_Grequest_complete(request);
  return request;
}

static void test_requests(void) {
  MPI_Request none = MPI_REQUEST_NULL, request;
  int flag, which;
  SHORT(many, Test, (&none, &flag, MPI_STATUS_IGNORE));
  SHORT(many, Testall, (1, &none, &flag, statuses));
  SHORT(many, Iprobe, (MPI_ANY_SOURCE, 7, self, &flag, MPI_STATUS_IGNORE));
  for (int i = 0; i < few; ++i) {
    request = ended_request(freed);
    TIMED(Request_get_status, (request, &flag, MPI_STATUS_IGNORE));
    TIMED(Test, (&request, &flag, MPI_STATUS_IGNORE));
    request = ended_request(freed);
    TIMED(Testall, (1, &request, &flag, statuses));
    request = ended_request(freed);
    TIMED(Testany, (1, &request, &which, &flag, MPI_STATUS_IGNORE));
    request = ended_request(freed);
    TIMED(Testsome, (1, &request, &flag, &which, statuses));
    request = ended_request(freed_late);
    TIMED(Request_free, (&request));
    TIMED(Grequest_start, (query, freed, cancelled, NULL, &request));
    TIMED(Cancel, (&request));
    MPI_Grequest_complete(request);
    TIMED(Request_free, (&request));
  }
}

static void make_types(void) {
  static int lengths[list_length], places[list_length];
  int key;
  MPI_Datatype list, twin, pair;
  TIMED(Type_create_keyval, (copy, delete, &key, NULL));
  for (int i = 0; i < list_length; ++i) lengths[i] = 1 + i % 2, places[i] = 4 * i;
  for (int i = 0; i < many; ++i) {
    TIMED(Type_contiguous, (2, MPI_INT, &pair));
    TIMED(Type_commit, (&pair));
    TIMED(Type_free, (&pair));
  }
  for (int i = 0; i < few; ++i) {
    TIMED(Type_indexed, (list_length, lengths, places, MPI_INT, &list));
    TIMED(Type_commit, (&list));
    MPI_Type_set_attr(list, key, places);
    TIMED(Type_dup, (list, &twin));
    TIMED(Type_free, (&twin));
    TIMED(Type_free, (&list));
  }
  TIMED(Type_free_keyval, (&key));
}

static void make_many(void) {
  MPI_Request none = MPI_REQUEST_NULL;
  MPI_Datatype rows;
  MPI_Group group;
  int flag, at, dims[2];
  TIMED(Type_vector, (512, 2, 3, MPI_DOUBLE, &rows));
  TIMED(Type_commit, (&rows));
  for (int turn = 0; turn < 20; ++turn) {
    SHORT(2000, Pack, (from, 4000, MPI_DOUBLE, to, most_bytes, (at = 0, &at), self));
    SHORT(2000, Unpack, (from, most_bytes, (at = 0, &at), to, 1, rows, self));
    SHORT(2000, Reduce_local, (from, to, 4000, MPI_DOUBLE, MPI_MAX));
    SHORT(2000, Test, (&none, &flag, MPI_STATUS_IGNORE));
    SHORT(2000, Dims_create, (64, 2, (dims[0] = dims[1] = 0, dims)));
    for (int i = 0; i < 1000; ++i) {
      TIMED(Comm_group, (self, &group));
      TIMED(Group_free, (&group));
    }
  }
  TIMED(Type_free, (&rows));
}

int main(int argc, char **argv) {
  int rank;
  void *base;
  const char *what = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  const double began = MPI_Wtime();
  keep_the_processor(1);
  look_at_clock();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  from = calloc(most_bytes, 1);
  to = calloc(most_bytes, 1);
  TIMED(Comm_dup, (MPI_COMM_SELF, &self));
  TIMED(Win_allocate, (most_bytes, 1, MPI_INFO_NULL, self, &base, &window));
  memset(base, 0, most_bytes);
  TIMED(Win_lock_all, (0, window));
  if (strcmp(what, "long") == 0) {
    for (int i = 0; i < many; ++i) move(8);
    for (int i = 0; i < few; ++i) move(most_bytes);
    test_requests();
    make_types();
  } else if (strcmp(what, "mixed") == 0) {
    for (int i = 0; i < 760; ++i) move(8 << i * 7 % 19);
  } else {
    make_many();
  }
  TIMED(Win_unlock_all, (window));
  for (int i = 0; calls[i].name != NULL; ++i) printf("timed %d call %s %.9f\n", rank, calls[i].name, calls[i].seconds);
  /* 4 ms: another process may take the processor for one slice in a short call that is not timed. */
  printf("timed %d within %.2f 0.004\n", rank, strcmp(what, "long") == 0 ? 0.02 : 0.05);
  TIMED(Win_free, (&window));
  TIMED(Comm_free, (&self));
  printf("timed %d run %.9f %.9f\n", rank, MPI_Wtime() - began, in_mpi);
  keep_the_processor(0);
  MPI_Finalize();
  free(from);
  free(to);
  return 0;
}
