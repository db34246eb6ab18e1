/* What Marshal costs and gains, measured from inside an MPI program: `marshal bench overhead` and `marshal bench rankmap` run this on
 * each host with the part to measure as argument. Without one it is the smallest MPI program, which `marshal info` starts: what Marshal
 * finds inside an MPI library, it finds in MPI_Init.
 *
 * Under Marshal, MPI_X goes through the wrapper and PMPI_X is the bare host, so both are timed in one process, batch by batch in turns.
 * Prints one JSON object a line on rank 0: {"what": …, "unit": …, "ranks": …, "marshal": median, "host": median}; without Marshal
 * the two are the same code, and their ratio is the noise. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "measure.h"

/* Calls in a round: enough for the clock, and few enough for hosts whose time is quadratic in the ranks. */
enum { call_rounds = 101, many_calls = 2000, some_calls = 64, few_calls = 4, creation_rounds = 31, creations_a_round = 8 };

/* A figure takes no longer than this once it has three rounds: hosts that poll crawl when ranks outnumber cores. */
static const double enough = 1e6; /* us */

static int rank, size;
/* libmarshal.so stands in front of the PMPI_ names that free. */
static int (*host_group_free)(MPI_Group *);

static void print(const char *what, const char *unit, double marshal, double host) {
  if (rank == 0) {
    printf("{\"what\": \"%s\", \"unit\": \"%s\", \"ranks\": %d, \"marshal\": %.4f, \"host\": %.4f}\n", what, unit, size, marshal, host);
    fflush(stdout);
  }
}

/* Local work, both ways, in alternating batches. `per`: what one figure is of. */
#define TIME_LOCAL(what, calls, per, through, direct)                  \
  do {                                                                       \
    double a[call_rounds], b[call_rounds];                                   \
    for (int round = 0; round < call_rounds; ++round) {                      \
      double t = MPI_Wtime();                                                \
      for (int i = 0; i < (calls); ++i) through;                             \
      a[round] = (MPI_Wtime() - t) / (calls) / (per) * 1e9;                  \
      t = MPI_Wtime();                                                       \
      for (int i = 0; i < (calls); ++i) direct;                              \
      b[round] = (MPI_Wtime() - t) / (calls) / (per) * 1e9;                  \
    }                                                                        \
    print(what, "ns", median(a, call_rounds), median(b, call_rounds)); \
  } while (0)
/* One call, as Comm_compare, (comm, other, &result). */
#define TIME_CALL(what, calls, call, arguments) TIME_LOCAL(what, calls, 1, MPI_##call arguments, PMPI_##call arguments)
/* One call that sets `made`, and the freeing of that group. */
#define TIME_GROUP(what, calls, call, arguments)                                    \
  TIME_LOCAL(what, calls, 1, (MPI_##call arguments, MPI_Group_free(&made)),         \
             (PMPI_##call arguments, host_group_free(&made)))

/* Collective work, both ways; the slowest rank counts. Communicators that it puts into `new` are freed. */
#define TIME_COLLECTIVE(what, through, direct)                                                              \
  do {                                                                                                            \
    double a[creation_rounds], b[creation_rounds], spent = 0;                                                     \
    int rounds = 0;                                                                                               \
    MPI_Comm made[creations_a_round];                                                                             \
    for (int i = 0; i < creations_a_round; ++i) made[i] = MPI_COMM_NULL;                                          \
    for (int round = 0; round < 2 * creation_rounds && (rounds < 3 || round % 2 || spent < enough); ++round) {    \
      PMPI_Barrier(MPI_COMM_WORLD);                                                                               \
      double t = MPI_Wtime(), slowest;                                                                            \
      for (int i = 0; i < creations_a_round; ++i) {                                                               \
        MPI_Comm *new = &made[i];                                                                                 \
        (void)new;                                                                                                \
        if (round % 2) direct; else through;                                                                      \
      }                                                                                                           \
      t = (MPI_Wtime() - t) / creations_a_round * 1e6;                                                            \
      PMPI_Allreduce(&t, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);                                       \
      (round % 2 ? b : a)[round / 2] = slowest;                                                                   \
      rounds = round / 2 + round % 2;                                                                             \
      spent += slowest * creations_a_round;                                                                       \
      for (int i = 0; i < creations_a_round; ++i)                                                                 \
        if (made[i] != MPI_COMM_NULL) { if (round % 2) PMPI_Comm_free(&made[i]); else MPI_Comm_free(&made[i]); }  \
    }                                                                                                             \
    print(what, "us", median(a, rounds), median(b, rounds));                                                \
  } while (0)
#define TIME_CREATION(what, call, arguments) TIME_COLLECTIVE(what, MPI_##call arguments, PMPI_##call arguments)

static void time_calls(void) {
  MPI_Datatype type;
  MPI_Group world, made;
  int bytes, from = size - 1, to;
  PMPI_Type_contiguous(4, MPI_INT, &type);
  PMPI_Type_commit(&type);
  TIME_CALL("MPI_Type_commit of a committed type", many_calls, Type_commit, (&type));
  TIME_CALL("MPI_Pack_size of MPI_INT, passed on", many_calls, Pack_size, (3, MPI_INT, MPI_COMM_WORLD, &bytes));
  PMPI_Type_free(&type);
  TIME_CALL("MPI_Comm_set_name, counted and passed on", many_calls, Comm_set_name, (MPI_COMM_WORLD, "world"));
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  TIME_GROUP("MPI_Comm_group and MPI_Group_free", many_calls, Comm_group, (MPI_COMM_WORLD, &made));
  TIME_CALL("MPI_Group_translate_ranks of one rank", many_calls, Group_translate_ranks, (world, 1, &from, world, &to));
  PMPI_Group_free(&world);
}

/* What counting a message takes: with MARSHAL_TRAFFIC=off the send is passed on only. */
static void time_sends(void) {
  char out[12] = {0}, in[12];
  MPI_Request request;
  const char *traffic = getenv("MARSHAL_TRAFFIC");
  const int off = traffic != NULL && strcmp(traffic, "off") == 0;
#define TO_ITSELF(send)                                                                                            \
  (PMPI_Irecv(in, 3, MPI_INT, 0, 1, MPI_COMM_SELF, &request), send(out, 3, MPI_INT, 0, 1, MPI_COMM_SELF),          \
   PMPI_Wait(&request, MPI_STATUS_IGNORE))
  TIME_LOCAL(off ? "MPI_Send to itself, passed on (MARSHAL_TRAFFIC=off)" : "MPI_Send to itself, counted", many_calls, 1,
             TO_ITSELF(MPI_Send), TO_ITSELF(PMPI_Send));
}

/* What timing a call takes: with MARSHAL_TIME=off it is counted only. MPI_Wait is timed each, of MPI_Test one in some 64. */
static void time_timed(void) {
  MPI_Request none = MPI_REQUEST_NULL;
  int flag;
  const char *time = getenv("MARSHAL_TIME");
  const int off = time != NULL && strcmp(time, "off") == 0;
#define TIME_TIMED(call, arguments)                                                                                     \
  TIME_LOCAL(off ? #call ", counted (MARSHAL_TIME=off)" : #call ", timed", many_calls, 1, call arguments, P##call arguments)
  TIME_TIMED(MPI_Wait, (&none, MPI_STATUS_IGNORE));
  TIME_TIMED(MPI_Test, (&none, &flag, MPI_STATUS_IGNORE));
  TIME_TIMED(MPI_Barrier, (MPI_COMM_SELF));
#if defined(__x86_64__)
  if (!off) {
    unsigned long long ticks = 0;
    TIME_LOCAL("two readings of the processor's counter, and none", many_calls, 1,
               (ticks += __builtin_ia32_rdtsc(), ticks += __builtin_ia32_rdtsc()), ticks += 1);
    if (ticks == 1) printf("\n");
  }
#endif
}

static void time_groups(void) {
  MPI_Comm odd;
  MPI_Group world, half, backwards, made;
  int *all = malloc(sizeof(int) * (size_t)size), *out = malloc(sizeof(int) * (size_t)size), members, result;
  int range[1][3] = {{size - 1, 0, -1}};
  for (int r = 0; r < size; ++r) all[r] = r;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &odd);
  MPI_Comm_group(odd, &half);
  MPI_Group_size(half, &members);
  MPI_Group_range_incl(world, 1, range, &backwards);
  if (rank == 0) {
    TIME_CALL("translate all ranks, world to a split", few_calls, Group_translate_ranks, (world, size, all, half, out));
    TIME_CALL("translate all ranks, a split to world", few_calls, Group_translate_ranks, (half, members, all, world, out));
    TIME_CALL("translate one rank, world to a split", few_calls, Group_translate_ranks, (world, 1, all + size - 1, half, out));
    TIME_CALL("compare, similar groups", few_calls, Group_compare, (world, backwards, &result));
    TIME_CALL("compare communicators, world and a split", few_calls, Comm_compare, (MPI_COMM_WORLD, odd, &result));
    TIME_GROUP("difference, world minus a split", few_calls, Group_difference, (world, half, &made));
    TIME_GROUP("intersection, world with a split", few_calls, Group_intersection, (world, half, &made));
    TIME_GROUP("union, a split with world", few_calls, Group_union, (half, world, &made));
    /* Once with no other reference to the group, as programs do it, and once beside one. */
    MPI_Group_free(&half);
    TIME_GROUP("MPI_Comm_group and MPI_Group_free", some_calls, Comm_group, (odd, &made));
    MPI_Comm_group(odd, &half);
    TIME_GROUP("MPI_Comm_group and MPI_Group_free, the group being held", some_calls, Comm_group, (odd, &made));
  }
  MPI_Group_free(&backwards);
  MPI_Group_free(&half);
  MPI_Group_free(&world);
  MPI_Comm_free(&odd);
  free(out);
  free(all);
}

static void time_creations(void) {
  int dims[2] = {0, 0}, periods[2] = {1, 1}, remain[2] = {1, 0};
  const int low = rank < size / 2, other = low ? size / 2 : 0, scattered = rank * 7919 % 1009;
  MPI_Comm grid, half, inter;
  MPI_Group group;
  PMPI_Dims_create(size, 2, dims);
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  TIME_CREATION("MPI_Comm_dup", Comm_dup, (MPI_COMM_WORLD, new));
  TIME_CREATION("MPI_Comm_split, odd and even", Comm_split, (MPI_COMM_WORLD, rank % 2, rank, new));
  TIME_CREATION("MPI_Comm_split, irregular", Comm_split, (MPI_COMM_WORLD, 0, scattered, new));
  TIME_CREATION("MPI_Comm_split_type", Comm_split_type, (MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, new));
  TIME_CREATION("MPI_Comm_create", Comm_create, (MPI_COMM_WORLD, group, new));
  TIME_CREATION("MPI_Cart_create", Cart_create, (MPI_COMM_WORLD, 2, dims, periods, 0, new));
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  TIME_CREATION("MPI_Cart_sub", Cart_sub, (grid, remain, new));
  if (size > 1) {
    MPI_Comm_split(MPI_COMM_WORLD, low, rank, &half);
    TIME_CREATION("MPI_Intercomm_create", Intercomm_create, (half, 0, MPI_COMM_WORLD, other, 1, new));
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, other, 1, &inter);
    TIME_CREATION("MPI_Comm_dup of an intercommunicator", Comm_dup, (inter, new));
    TIME_CREATION("MPI_Intercomm_merge", Intercomm_merge, (inter, low, new));
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
  }
  MPI_Comm_free(&grid);
  MPI_Group_free(&group);
}

/* Receives are not wrapped at all, and sends are only counted: shows that the preload leaves messages alone. */
static void time_messages(void) {
  enum { rounds = 101, round_trips = 200, window = 64, windows = 20 };
  static double latency[rounds], rate[rounds];
  char byte = 0, bytes[window] = {0};
  MPI_Request requests[window];
  if (size < 2) return;
  for (int round = 0; round < rounds; ++round) {
    PMPI_Barrier(MPI_COMM_WORLD);
    double t = MPI_Wtime();
    for (int i = 0; i < round_trips; ++i)
      if (rank == 0) {
        MPI_Send(&byte, 1, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(&byte, 1, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      } else if (rank == 1) {
        MPI_Recv(&byte, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&byte, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
      }
    latency[round] = (MPI_Wtime() - t) / round_trips / 2 * 1e9;
    t = MPI_Wtime();
    for (int i = 0; i < windows && rank < 2; ++i) {
      for (int k = 0; k < window; ++k)
        if (rank == 0) MPI_Isend(&bytes[k], 1, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &requests[k]);
        else MPI_Irecv(&bytes[k], 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[k]);
      MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
    }
    rate[round] = windows * window / (MPI_Wtime() - t) / 1e6;
  }
  const double l = median(latency, rounds), r = median(rate, rounds);
  print("latency of 1 byte", "ns", l, l);
  print("message rate, 64 in flight", "million/s", r, r);
}

/* Group calls are local: one rank times them, and the others sleep, so that the figures hold with far more ranks than cores. */
static void sleep_until_all_are_here(void) {
  const struct timespec moment = {0, 20000000};
  MPI_Request request;
  int done = 0;
  PMPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (PMPI_Test(&request, &done, MPI_STATUS_IGNORE); !done; PMPI_Test(&request, &done, MPI_STATUS_IGNORE)) nanosleep(&moment, NULL);
}

static double now_ms(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*measure)(void);
  } parts[] = {{"calls", time_calls},         {"sends", time_sends},       {"timed", time_timed},         {"groups", time_groups},    
               {"creation", time_creations}, {"messages", time_messages}};
  int before = 0, life = 0;
  PMPI_Initialized(&before); /* resolves the library's symbols before the clock starts */
  double start = now_ms(), slowest;
  MPI_Init(&argc, &argv);
  const double init = now_ms() - start;
  host_group_free = (int (*)(MPI_Group *))hosts_own("PMPI_Group_free");
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  PMPI_Allreduce(&init, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  for (int i = 1; i < argc; ++i) {
    life |= strcmp(argv[i], "life") == 0;
    for (size_t p = 0; p < sizeof parts / sizeof *parts; ++p)
      if (strcmp(argv[i], parts[p].name) == 0) {
        parts[p].measure();
        sleep_until_all_are_here();
      }
  }
  PMPI_Barrier(MPI_COMM_WORLD);
  start = now_ms();
  MPI_Finalize();
  const double finalize = now_ms() - start;
  if (life) print("MPI_Init", "ms", slowest, slowest);
  if (life) print("MPI_Finalize", "ms", finalize, finalize);
  return 0;
}
