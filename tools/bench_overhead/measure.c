/* What Marshal costs, measured from inside an MPI program: `marshal bench overhead` runs this with and without the library.
 *
 * Under Marshal, MPI_X goes through the wrapper and PMPI_X is the bare host, so both are timed in one process, interleaved batch by batch.
 * Prints one JSON object a line on rank 0: {"what": …, "unit": …, "marshal": median, "host": median}; without Marshal the two are the same
 * code, and their ratio is the noise. */
#define _GNU_SOURCE
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../hosts_own.h"
#include "../median.h"

enum { rounds_of_calls = 201, calls_a_round = 2000, rounds_of_creations = 31, creations_a_round = 8 };

static int rank, size;
/* libmarshal.so stands in front of the PMPI_ names that free. */
static int (*host_group_free)(MPI_Group *);

static void print(const char *what, const char *unit, double marshal, double host) {
  if (rank == 0) {
    printf("{\"what\": \"%s\", \"unit\": \"%s\", \"ranks\": %d, \"marshal\": %.3f, \"host\": %.3f}\n", what, unit, size, marshal, host);
    fflush(stdout);
  }
}

/* One call, both ways, in alternating batches. */
#define TIME_CALL(what, through, direct)                                         \
  do {                                                                           \
    static double a[rounds_of_calls], b[rounds_of_calls];                        \
    for (int round = 0; round < rounds_of_calls; ++round) {                      \
      double t = MPI_Wtime();                                                    \
      for (int i = 0; i < calls_a_round; ++i) through;                           \
      a[round] = (MPI_Wtime() - t) / calls_a_round * 1e9;                        \
      t = MPI_Wtime();                                                           \
      for (int i = 0; i < calls_a_round; ++i) direct;                            \
      b[round] = (MPI_Wtime() - t) / calls_a_round * 1e9;                        \
    }                                                                            \
    print(what, "ns", median(a, rounds_of_calls), median(b, rounds_of_calls));   \
  } while (0)

/* One constructor, both ways; the slowest rank counts. */
#define TIME_CREATION(what, through, direct, release)                                              \
  do {                                                                                             \
    static double a[rounds_of_creations], b[rounds_of_creations];                                  \
    MPI_Comm made[creations_a_round];                                                              \
    for (int round = 0; round < 2 * rounds_of_creations; ++round) {                                \
      PMPI_Barrier(MPI_COMM_WORLD);                                                                \
      double t = MPI_Wtime(), slowest;                                                             \
      for (int i = 0; i < creations_a_round; ++i) {                                                \
        MPI_Comm *new = &made[i];                                                                  \
        if (round % 2) direct; else through;                                                       \
      }                                                                                            \
      t = (MPI_Wtime() - t) / creations_a_round * 1e6;                                             \
      PMPI_Allreduce(&t, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);                        \
      (round % 2 ? b : a)[round / 2] = slowest;                                                    \
      for (int i = 0; i < creations_a_round; ++i)                                                  \
        if (made[i] != MPI_COMM_NULL) { if (round % 2) PMPI_Comm_free(&made[i]); else release; }   \
    }                                                                                              \
    print(what, "us", median(a, rounds_of_creations), median(b, rounds_of_creations));             \
  } while (0)

static void time_calls(void) {
  MPI_Datatype type;
  int bytes;
  PMPI_Type_contiguous(4, MPI_INT, &type);
  PMPI_Type_commit(&type);
  TIME_CALL("MPI_Type_commit of a committed type", MPI_Type_commit(&type), PMPI_Type_commit(&type));
  TIME_CALL("MPI_Pack_size of MPI_INT, passed on", MPI_Pack_size(3, MPI_INT, MPI_COMM_WORLD, &bytes), PMPI_Pack_size(3, MPI_INT, MPI_COMM_WORLD, &bytes));
  PMPI_Type_free(&type);
  TIME_CALL("MPI_Comm_set_name, counted and passed on", MPI_Comm_set_name(MPI_COMM_WORLD, "world"), PMPI_Comm_set_name(MPI_COMM_WORLD, "world"));
  MPI_Group world;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group group;
  TIME_CALL("MPI_Comm_group and MPI_Group_free", (MPI_Comm_group(MPI_COMM_WORLD, &group), MPI_Group_free(&group)),
            (PMPI_Comm_group(MPI_COMM_WORLD, &group), host_group_free(&group)));
  int from = size - 1, to;
  TIME_CALL("MPI_Group_translate_ranks of one rank", MPI_Group_translate_ranks(world, 1, &from, world, &to),
            PMPI_Group_translate_ranks(world, 1, &from, world, &to));
  PMPI_Group_free(&world);
}

/* What counting a message takes: with MARSHAL_TRAFFIC=off the send is passed on only. */
static void time_sends(void) {
  char out[12] = {0}, in[12];
  MPI_Request request;
  const char *traffic = getenv("MARSHAL_TRAFFIC");
  const int off = traffic != NULL && strcmp(traffic, "off") == 0;
#define TO_ITSELF(send)                                            \
  (PMPI_Irecv(in, 3, MPI_INT, 0, 1, MPI_COMM_SELF, &request), send, \
   PMPI_Wait(&request, MPI_STATUS_IGNORE))
  TIME_CALL(off ? "MPI_Send to itself, passed on (MARSHAL_TRAFFIC=off)" : "MPI_Send to itself, counted",
            TO_ITSELF(MPI_Send(out, 3, MPI_INT, 0, 1, MPI_COMM_SELF)), TO_ITSELF(PMPI_Send(out, 3, MPI_INT, 0, 1, MPI_COMM_SELF)));
}

static void time_creations(void) {
  int dims[2] = {0, 0}, periods[2] = {1, 1}, remain[2] = {1, 0};
  MPI_Comm grid, half, inter;
  MPI_Group group;
  PMPI_Dims_create(size, 2, dims);
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  TIME_CREATION("MPI_Comm_dup", MPI_Comm_dup(MPI_COMM_WORLD, new), PMPI_Comm_dup(MPI_COMM_WORLD, new), MPI_Comm_free(&made[i]));
  TIME_CREATION("MPI_Comm_split, odd and even", MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, new),
                PMPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, new), MPI_Comm_free(&made[i]));
  TIME_CREATION("MPI_Comm_split_type", MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, new),
                PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, new), MPI_Comm_free(&made[i]));
  TIME_CREATION("MPI_Comm_create", MPI_Comm_create(MPI_COMM_WORLD, group, new), PMPI_Comm_create(MPI_COMM_WORLD, group, new),
                MPI_Comm_free(&made[i]));
  TIME_CREATION("MPI_Cart_create", MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, new),
                PMPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, new), MPI_Comm_free(&made[i]));
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  TIME_CREATION("MPI_Cart_sub", MPI_Cart_sub(grid, remain, new), PMPI_Cart_sub(grid, remain, new), MPI_Comm_free(&made[i]));
  if (size > 1) {
    MPI_Comm_split(MPI_COMM_WORLD, rank < size / 2, rank, &half);
    const int other = rank < size / 2 ? size / 2 : 0;
    TIME_CREATION("MPI_Intercomm_create", MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, other, 1, new),
                  PMPI_Intercomm_create(half, 0, MPI_COMM_WORLD, other, 1, new), MPI_Comm_free(&made[i]));
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, other, 1, &inter);
    TIME_CREATION("MPI_Intercomm_merge", MPI_Intercomm_merge(inter, rank < size / 2, new), PMPI_Intercomm_merge(inter, rank < size / 2, new),
                  MPI_Comm_free(&made[i]));
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
  }
  MPI_Comm_free(&grid);
  MPI_Group_free(&group);
}

/* Receives are not wrapped at all, and sends are only counted: shows that the preload leaves messages alone. */
static void time_messages(void) {
  enum { rounds = 101, round_trips = 200, window = 64 };
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
    for (int i = 0; i < 20; ++i) {
      if (rank < 2) {
        for (int k = 0; k < window; ++k)
          if (rank == 0) MPI_Isend(&bytes[k], 1, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &requests[k]);
          else MPI_Irecv(&bytes[k], 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[k]);
        MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
      }
    }
    rate[round] = 20 * window / (MPI_Wtime() - t) / 1e6;
  }
  double l = median(latency, rounds), r = median(rate, rounds);
  print("latency of 1 byte", "ns", l, l);
  print("message rate, 64 in flight", "million/s", r, r);
}

/* What the host allocates for a communicator of n ranks. */
static void measure_memory(void) {
  for (int n = 1; n <= size; n *= 2) {
    enum { samples = 9 };
    double bytes[samples];
    MPI_Comm made[samples];
    for (int i = 0; i < samples; ++i) {
      const struct mallinfo2 before = mallinfo2();
      PMPI_Comm_split(MPI_COMM_WORLD, rank < n ? 0 : MPI_UNDEFINED, rank, &made[i]);
      const struct mallinfo2 after = mallinfo2();
      bytes[i] = (double)(after.uordblks + after.hblkhd) - (double)(before.uordblks + before.hblkhd);
    }
    for (int i = 0; i < samples; ++i)
      if (made[i] != MPI_COMM_NULL) PMPI_Comm_free(&made[i]);
    char what[80];
    snprintf(what, sizeof what, "memory of MPI_Comm_split into %d ranks", n);
    const double b = median(bytes, samples);
    print(what, "bytes", b, b);
  }
}

int main(int argc, char **argv) {
  int before = 0;
  double t0;
  PMPI_Initialized(&before); /* resolves the library's symbols before the clock starts */
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  t0 = (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
  MPI_Init(&argc, &argv);
  timespec_get(&now, TIME_UTC);
  double init = ((double)now.tv_sec + (double)now.tv_nsec * 1e-9 - t0) * 1e3, slowest;
  host_group_free = (int (*)(MPI_Group *))hosts_own("PMPI_Group_free");
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  PMPI_Allreduce(&init, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const char *part = argc > 1 ? argv[1] : "all";
  const int all = strcmp(part, "all") == 0;
  if (all || strcmp(part, "calls") == 0) time_calls();
  if (all || strcmp(part, "sends") == 0) time_sends();
  if (all || strcmp(part, "creation") == 0) time_creations();
  if (all || strcmp(part, "messages") == 0) time_messages();
  if (all || strcmp(part, "memory") == 0) measure_memory();
  PMPI_Barrier(MPI_COMM_WORLD);
  timespec_get(&now, TIME_UTC);
  t0 = (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
  MPI_Finalize();
  timespec_get(&now, TIME_UTC);
  print("MPI_Init", "ms", slowest, slowest);
  const double finalize = ((double)now.tv_sec + (double)now.tv_nsec * 1e-9 - t0) * 1e3;
  print("MPI_Finalize", "ms", finalize, finalize);
  return 0;
}
