/* Group calls and the making of communicators, through Marshal and bare: `marshal bench rankmap --mpi` runs this on each host, with
 * "groups", "translation", "creation" or several of them as arguments.
 *
 * MPI_X goes through Marshal's wrapper and PMPI_X is the host, both in one process, batch by batch in turns. Prints one JSON object a
 * line on rank 0: {"part": …, "what": …, "unit": …, "ranks": …, "marshal": median, "host": median}. Translations are in ns a rank. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../hosts_own.h"
#include "../median.h"

enum { call_rounds = 51, creation_rounds = 31, batch = 4, few_ns = 64 };

/* A figure takes no longer than this once it has three rounds: hosts that poll crawl when ranks outnumber cores. */
static const double enough = 1e6; /* us */

static int rank, size;
/* libmarshal.so stands in front of the PMPI_ names that free. */
static int (*host_group_free)(MPI_Group *);

static void print(const char *part, const char *what, const char *unit, double marshal, double host) {
  if (rank == 0)
    printf("{\"part\": \"%s\", \"what\": \"%s\", \"unit\": \"%s\", \"ranks\": %d, \"marshal\": %.4f, \"host\": %.4f}\n", part, what, unit,
           size, marshal, host);
}

/* Group calls are local: one rank times them, and the others sleep, so that the figures hold with far more ranks than cores. */
static void sleep_until_all_are_here(void) {
  const struct timespec moment = {0, 20000000};
  MPI_Request request;
  int done = 0;
  PMPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (;;) {
    PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done) return;
    nanosleep(&moment, NULL);
  }
}

/* A local call, `calls` times in a row: few enough for quadratic hosts, enough for the clock. `per`: what one figure is of. */
#define TIME_LOCAL(part, what, calls, per, through, direct)                           \
  do {                                                                                \
    double a[call_rounds], b[call_rounds];                                            \
    for (int round = 0; round < call_rounds; ++round) {                               \
      double t = MPI_Wtime();                                                         \
      for (int i = 0; i < (calls); ++i) through;                                      \
      a[round] = (MPI_Wtime() - t) / (calls) / (per) * 1e9;                           \
      t = MPI_Wtime();                                                                \
      for (int i = 0; i < (calls); ++i) direct;                                       \
      b[round] = (MPI_Wtime() - t) / (calls) / (per) * 1e9;                           \
    }                                                                                 \
    print(part, what, "ns", median(a, call_rounds), median(b, call_rounds));          \
  } while (0)
#define TIME_CALL(what, through, direct) TIME_LOCAL("groups", what, batch, 1, through, direct)

/* A collective pair; the slowest rank counts. `through` and `direct` set made[i]. */
#define TIME_CREATION(part, what, through, direct)                                    \
  do {                                                                                \
    double a[creation_rounds], b[creation_rounds], spent = 0;                         \
    int rounds = 0;                                                                   \
    MPI_Comm made[batch];                                                             \
    for (int i = 0; i < batch; ++i) made[i] = MPI_COMM_NULL;                          \
    for (int round = 0; round < 2 * creation_rounds && (rounds < 3 || round % 2 || spent < enough); ++round) { \
      PMPI_Barrier(MPI_COMM_WORLD);                                                   \
      double t = MPI_Wtime(), slowest;                                                \
      for (int i = 0; i < batch; ++i) {                                               \
        if (round % 2) direct; else through;                                          \
      }                                                                               \
      t = (MPI_Wtime() - t) / batch * 1e6;                                            \
      PMPI_Allreduce(&t, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);           \
      (round % 2 ? b : a)[round / 2] = slowest;                                       \
      rounds = round / 2 + round % 2;                                                 \
      spent += slowest * batch;                                                       \
      for (int i = 0; i < batch; ++i) {                                               \
        if (made[i] == MPI_COMM_NULL) continue;                                       \
        if (round % 2) PMPI_Comm_free(&made[i]); else MPI_Comm_free(&made[i]);        \
      }                                                                               \
    }                                                                                 \
    print(part, what, "us", median(a, rounds), median(b, rounds));  \
  } while (0)

static void time_groups(MPI_Comm odd) {
  MPI_Group world, half, backwards, made, of_odd;
  int *all = malloc(sizeof(int) * (size_t)size), *out = malloc(sizeof(int) * (size_t)size), members, result;
  for (int r = 0; r < size; ++r) all[r] = r;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Comm_group(odd, &half);
  MPI_Group_size(half, &members);
  int range[1][3] = {{size - 1, 0, -1}};
  MPI_Group_range_incl(world, 1, range, &backwards);
  TIME_CALL("translate all ranks, world to a split", MPI_Group_translate_ranks(world, size, all, half, out),
            PMPI_Group_translate_ranks(world, size, all, half, out));
  TIME_CALL("translate all ranks, a split to world", MPI_Group_translate_ranks(half, members, all, world, out),
            PMPI_Group_translate_ranks(half, members, all, world, out));
  TIME_CALL("translate one rank, world to a split", MPI_Group_translate_ranks(world, 1, all + size - 1, half, out),
            PMPI_Group_translate_ranks(world, 1, all + size - 1, half, out));
  TIME_CALL("compare, similar groups", MPI_Group_compare(world, backwards, &result), PMPI_Group_compare(world, backwards, &result));
  TIME_CALL("compare communicators, world and a split", MPI_Comm_compare(MPI_COMM_WORLD, odd, &result),
            PMPI_Comm_compare(MPI_COMM_WORLD, odd, &result));
  TIME_CALL("difference, world minus a split", (MPI_Group_difference(world, half, &made), MPI_Group_free(&made)),
            (PMPI_Group_difference(world, half, &made), host_group_free(&made)));
  TIME_CALL("intersection, world with a split", (MPI_Group_intersection(world, half, &made), MPI_Group_free(&made)),
            (PMPI_Group_intersection(world, half, &made), host_group_free(&made)));
  TIME_CALL("union, a split with world", (MPI_Group_union(half, world, &made), MPI_Group_free(&made)),
            (PMPI_Group_union(half, world, &made), host_group_free(&made)));
  MPI_Group_free(&backwards);
  MPI_Group_free(&half);
  MPI_Group_free(&world);
  /* Once with no other reference to the group, as programs do it, and once beside one. */
  TIME_LOCAL("groups", "MPI_Comm_group and MPI_Group_free", few_ns, 1, (MPI_Comm_group(odd, &of_odd), MPI_Group_free(&of_odd)),
             (PMPI_Comm_group(odd, &of_odd), host_group_free(&of_odd)));
  MPI_Comm_group(odd, &half);
  TIME_LOCAL("groups", "MPI_Comm_group and MPI_Group_free, the group being held", few_ns, 1,
             (MPI_Comm_group(odd, &of_odd), MPI_Group_free(&of_odd)), (PMPI_Comm_group(odd, &of_odd), host_group_free(&of_odd)));
  MPI_Group_free(&half);
  free(out);
  free(all);
}

/* The shapes of groups between which ranks are translated, as members of MPI_COMM_WORLD. The number of members. */
typedef int members_of(int *members);
static int every_second(int *members) {
  int n = 0;
  for (int r = 0; r < size; r += 2) members[n++] = r;
  return n;
}
static int reversed(int *members) {
  for (int r = 0; r < size; ++r) members[r] = size - 1 - r;
  return size;
}
/* As MPI_Comm_split orders them by key (factor * rank) mod size. */
static int by_key(int *members, int factor) {
  int n = 0;
  for (int key = 0; key < size; ++key)
    for (int r = 0; r < size; ++r)
      if (factor * r % size == key) members[n++] = r;
  return n;
}
static int permuted(int *members) { return by_key(members, 37); }
static int permuted_otherwise(int *members) { return by_key(members, 41); }
static int some_left_out(int *members) {
  int n = 0;
  for (int r = 0; r < size; ++r)
    if (r * 7919 % 1009 % 3 != 0) members[n++] = r;
  return n;
}
static int scattered_half(int *members) {
  const int n = permuted(members);
  return n < 2 ? n : n / 2;
}

static void time_translations(void) {
  static const struct {
    const char *name;
    members_of *members;
  } shapes[] = {{"every second", every_second},
                {"reversed", reversed},
                {"permuted", permuted},
                {"some left out", some_left_out},
                {"scattered half", scattered_half}};
  MPI_Group world, other;
  int *members = malloc(sizeof(int) * (size_t)size), *all = malloc(sizeof(int) * (size_t)size), *out = malloc(sizeof(int) * (size_t)size);
  for (int r = 0; r < size; ++r) all[r] = r;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, permuted_otherwise(members), members, &other);
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s) {
    MPI_Group group;
    char what[64];
    const int n = shapes[s].members(members);
    MPI_Group_incl(world, n, members, &group);
    snprintf(what, sizeof what, "%s to world", shapes[s].name);
    TIME_LOCAL("translation", what, few_ns, n, MPI_Group_translate_ranks(group, n, all, world, out),
               PMPI_Group_translate_ranks(group, n, all, world, out));
    snprintf(what, sizeof what, "world to %s", shapes[s].name);
    TIME_LOCAL("translation", what, few_ns, size, MPI_Group_translate_ranks(world, size, all, group, out),
               PMPI_Group_translate_ranks(world, size, all, group, out));
    snprintf(what, sizeof what, "%s to permuted", shapes[s].name);
    TIME_LOCAL("translation", what, few_ns, n, MPI_Group_translate_ranks(group, n, all, other, out),
               PMPI_Group_translate_ranks(group, n, all, other, out));
    snprintf(what, sizeof what, "permuted to %s", shapes[s].name);
    TIME_LOCAL("translation", what, few_ns, size, MPI_Group_translate_ranks(other, size, all, group, out),
               PMPI_Group_translate_ranks(other, size, all, group, out));
    MPI_Group_free(&group);
  }
  MPI_Group_free(&other);
  MPI_Group_free(&world);
  free(out);
  free(all);
  free(members);
}

static void time_creations(void) {
  MPI_Comm half, inter;
  const int low = rank < size / 2, other = low ? size / 2 : 0;
  TIME_CREATION("creation", "MPI_Comm_dup", MPI_Comm_dup(MPI_COMM_WORLD, &made[i]), PMPI_Comm_dup(MPI_COMM_WORLD, &made[i]));
  TIME_CREATION("creation", "MPI_Comm_split, odd and even", MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &made[i]),
                PMPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &made[i]));
  const int scattered = rank * 7919 % 1009;
  TIME_CREATION("creation", "MPI_Comm_split, irregular", MPI_Comm_split(MPI_COMM_WORLD, 0, scattered, &made[i]),
                PMPI_Comm_split(MPI_COMM_WORLD, 0, scattered, &made[i]));
  if (size > 1) {
    MPI_Comm_split(MPI_COMM_WORLD, low, rank, &half);
    TIME_CREATION("creation", "MPI_Intercomm_create", MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, other, 1, &made[i]),
                  PMPI_Intercomm_create(half, 0, MPI_COMM_WORLD, other, 1, &made[i]));
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, other, 1, &inter);
    TIME_CREATION("creation", "MPI_Comm_dup of an intercommunicator", MPI_Comm_dup(inter, &made[i]), PMPI_Comm_dup(inter, &made[i]));
    TIME_CREATION("creation", "MPI_Intercomm_merge", MPI_Intercomm_merge(inter, low, &made[i]), PMPI_Intercomm_merge(inter, low, &made[i]));
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
  }
  /* What a map costs to find: the allgather of every rank, beside the three reductions of a block pattern. */
  int *ranks = malloc(sizeof(int) * (size_t)size), mine[6] = {0}, least[6];
  TIME_CREATION("exchange", "three reductions, beside one allgather (the host's column)",
                for (int k = 0; k < 3; ++k) PMPI_Allreduce(mine, least, 3, MPI_2INT, MPI_MINLOC, MPI_COMM_WORLD),
                PMPI_Allgather(&rank, 1, MPI_INT, ranks, 1, MPI_INT, MPI_COMM_WORLD));
  free(ranks);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  host_group_free = (int (*)(MPI_Group *))hosts_own("PMPI_Group_free");
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int groups = argc == 1, translation = argc == 1, creation = argc == 1;
  for (int i = 1; i < argc; ++i) {
    groups |= strcmp(argv[i], "groups") == 0;
    translation |= strcmp(argv[i], "translation") == 0;
    creation |= strcmp(argv[i], "creation") == 0;
  }
  if (groups || translation) {
    MPI_Comm odd;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &odd);
    if (rank == 0 && groups) time_groups(odd);
    if (rank == 0 && translation) time_translations();
    sleep_until_all_are_here();
    MPI_Comm_free(&odd);
  }
  if (creation) time_creations();
  MPI_Finalize();
  return 0;
}
