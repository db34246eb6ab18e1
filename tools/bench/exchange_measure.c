/* The program of `marshal bench exchange`: MPI_Alltoall, MPI_Alltoallv and MPI_Alltoallw under Marshal's library, so that MPI_X may go
 * by nodes and PMPI_X is the bare host. Both are timed in turns; each point has a communicator of its own.
 *
 * Arguments: PAIRS CALLS BYTES,... : pairs of turns, calls of a turn, and the bytes of a block. Sizes also alternate from call to call,
 * and grow and fall from pair to pair. Prints one JSON object a line on rank 0; times are seconds of a call on the slowest rank, medians
 * of the pairs. `ratio` is the median of the pairs' bare to MPI_X, `low` and `high` its 95 % interval, and `run` the ratio of all calls'. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

enum { most_pairs = 1000, kinds = 3, most_sizes = 32, warm_calls = 700 };
static const char* const names[kinds] = {"MPI_Alltoall", "MPI_Alltoallv", "MPI_Alltoallw"};

static int rank, ranks, pairs, calls, sizes[most_sizes], size_count;
static char *out, *in;
static int *counts, *places;
static MPI_Datatype* types;
static MPI_Comm comm;

static void call(int bare, int kind, int bytes) {
  for (int i = 0; i < ranks; ++i) counts[i] = bytes, places[i] = i * bytes;
  memset(out, rank + bytes, (size_t)ranks * (size_t)bytes);
  if (kind == 0) (bare ? PMPI_Alltoall : MPI_Alltoall)(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, comm);
  if (kind == 1)
    (bare ? PMPI_Alltoallv : MPI_Alltoallv)(out, counts, places, MPI_BYTE, in, counts, places, MPI_BYTE, comm);
  if (kind == 2) (bare ? PMPI_Alltoallw : MPI_Alltoallw)(out, counts, places, types, in, counts, places, types, comm);
}

enum way { of_one_size, alternating, growing, falling };
/* Bytes of a block in a call of a pair; `only`: the size of all calls of one size. */
static int bytes_of(enum way way, int only, int pair, int call_number) {
  const int step = pair < 0 ? 0 : pair * size_count / pairs;
  switch (way) {
    case alternating: return sizes[call_number % size_count];
    case growing: return sizes[step];
    case falling: return sizes[size_count - 1 - step];
    default: return only;
  }
}

static double turn(int bare, int kind, enum way way, int only, int pair) {
  PMPI_Barrier(comm);
  const double begun = MPI_Wtime();
  for (int i = 0; i < calls; ++i) call(bare, kind, bytes_of(way, only, pair, i));
  double own = (MPI_Wtime() - begun) / calls, slowest;
  PMPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm);
  return slowest;
}

static void measure(int kind, const char* what, enum way way, int only) {
  static double bare[most_pairs], marshal[most_pairs], ratio[most_pairs];
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int i = 0; i < warm_calls; ++i) call(0, kind, bytes_of(way, only, -1, i));
  for (int i = 0; i < 20; ++i) call(1, kind, bytes_of(way, only, -1, i));
  double all[2] = {0, 0};
  for (int pair = 0; pair < pairs; ++pair) {
    for (int i = 0; i < 2; ++i) {
      const int is_bare = (pair + i) % 2;
      all[is_bare] += (is_bare ? bare : marshal)[pair] = turn(is_bare, kind, way, only, pair);
    }
    ratio[pair] = bare[pair] / marshal[pair];
  }
  MPI_Comm_free(&comm);
  if (rank != 0) return;
  /* The ranks of the values between which the median lies with 95 %: n/2 -+ 0.98 sqrt(n). */
  int from = 0;
  while (2 * (from + 1) < pairs && (pairs - 2 * (from + 1)) * (pairs - 2 * (from + 1)) > 4 * 0.96 * pairs) ++from;
  const double middle = median(ratio, pairs);
  printf("{\"call\": \"%s\", \"size\": \"%s\", \"bare\": %.6g, \"marshal\": %.6g, \"ratio\": %.4g, \"low\": %.4g, \"high\": %.4g, \"run\": %.4g}\n",
         names[kind], what, median(bare, pairs), median(marshal, pairs), middle, ratio[from], ratio[pairs - 1 - from], all[1] / all[0]);
  fflush(stdout);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  pairs = argc > 1 ? atoi(argv[1]) : 20;
  calls = argc > 2 ? atoi(argv[2]) : 20;
  if (pairs < 1 || pairs > most_pairs || calls < 1) MPI_Abort(MPI_COMM_WORLD, 2);
  char* list = argc > 3 ? argv[3] : (char[]){"8,64,256,1024,4096"};
  int most = 1;
  for (char* text = strtok(list, ","); text != NULL && size_count < most_sizes; text = strtok(NULL, ",")) {
    sizes[size_count] = atoi(text);
    if (sizes[size_count] > most) most = sizes[size_count];
    ++size_count;
  }
  out = malloc((size_t)ranks * (size_t)most);
  in = malloc((size_t)ranks * (size_t)most);
  counts = malloc((size_t)ranks * sizeof *counts);
  places = malloc((size_t)ranks * sizeof *places);
  types = malloc((size_t)ranks * sizeof(MPI_Datatype));
  if (!out || !in || !counts || !places || !types) MPI_Abort(MPI_COMM_WORLD, 3);
  memset(in, 0, (size_t)ranks * (size_t)most);
  for (int i = 0; i < ranks; ++i) types[i] = MPI_BYTE;
  for (int kind = 0; kind < kinds; ++kind) {
    for (int i = 0; i < size_count; ++i) {
      char text[16];
      snprintf(text, sizeof text, "%d", sizes[i]);
      measure(kind, text, of_one_size, sizes[i]);
    }
    if (size_count == 1) continue;
    measure(kind, "alternate", alternating, 0);
    measure(kind, "grow", growing, 0);
    measure(kind, "fall", falling, 0);
  }
  free(out), free(in), free(counts), free(places), free(types);
  MPI_Finalize();
  return 0;
}
