// A program that reads Marshal's own counts as PAPI software-defined events, as any tool for PAPI does. It links PAPI,
// and of Marshal it knows only the names of the events. It also asks Marshal to count around packing, which Marshal
// leaves to the program's own PAPI.
// cluster: nodes=2 ranks=4 env=MARSHAL_PAPI=perf::PAGE-FAULTS
// cluster: nodes=2 ranks=4 under=run
#include <mpi.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>

static void need(int holds, const char* what) {
  if (holds) return;
  printf("WRONG: %s\n", what);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

enum {
  communicators_made,
  communicators_alive,
  map_bytes,
  ranks_translated,
  reordered_grids,
  packs,
  packed_bytes,
  unpacks,
  unpacked_bytes,
  event_count
};
static const char* const names[event_count] = {"communicators_made", "communicators_alive",
                                               "map_bytes",          "ranks_translated",
                                               "reordered_grids",    "packs",
                                               "packed_bytes",       "unpacks",
                                               "unpacked_bytes"};

int main(int argc, char** argv) {
  need(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT, "PAPI_library_init");
  int events = PAPI_NULL;
  need(PAPI_create_eventset(&events) == PAPI_OK, "PAPI_create_eventset");
  for (int e = 0; e < event_count; e++) {
    char name[100];
    snprintf(name, sizeof name, "sde:::Marshal::%s", names[e]);
    need(PAPI_add_named_event(events, name) == PAPI_OK, name);
  }
  MPI_Init(&argc, &argv);
  long long count[event_count], alive;
  need(PAPI_start(events) == PAPI_OK, "PAPI_start");
  need(PAPI_read(events, count) == PAPI_OK, "PAPI_read");
  alive = count[communicators_alive];
  need(count[communicators_made] == 0 && count[packs] == 0, "counts begin at 0");
  need(count[map_bytes] > 0, "MPI_COMM_WORLD has a map");

  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm half, twin;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Comm_dup(half, &twin);
  PAPI_read(events, count);
  need(count[communicators_made] == 2 && count[communicators_alive] == alive + 2, "two communicators were made");
  MPI_Comm_free(&twin);
  PAPI_read(events, count);
  need(count[communicators_made] == 2 && count[communicators_alive] == alive + 1, "one of them was freed");

  enum { rows = 4096, times = 1000 };  // enough for the engine to take over, however fast the host is
  MPI_Datatype column;
  MPI_Type_vector(rows, 1, 4, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  double *plate = calloc(4 * rows, sizeof *plate), *packed = malloc(rows * sizeof *packed);
  for (int time = 0; time < times; time++) {
    int position = 0;
    MPI_Pack(plate, 1, column, packed, rows * (int)sizeof *packed, &position, MPI_COMM_WORLD);
    position = 0;
    MPI_Unpack(packed, rows * (int)sizeof *packed, &position, plate, 1, column, MPI_COMM_WORLD);
  }
  PAPI_read(events, count);
  need(count[packs] > 0 && count[packs] <= times && count[unpacks] > 0 && count[unpacks] <= times, "packs");
  need(count[packed_bytes] == count[packs] * rows * (long long)sizeof *packed, "packed bytes");
  need(count[unpacked_bytes] == count[unpacks] * rows * (long long)sizeof *packed, "unpacked bytes");

  // Groups that are large enough for Marshal to answer for them are not to be had from 4 ranks: none, or all.
  MPI_Group all, some;
  int of_half[2], in_all[2] = {0, 1};
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Comm_group(half, &some);
  MPI_Group_translate_ranks(some, 2, in_all, all, of_half);
  need(of_half[0] == rank % 2 && of_half[1] == rank % 2 + 2, "MPI_Group_translate_ranks");
  PAPI_read(events, count);
  need(count[ranks_translated] == 0 || count[ranks_translated] == 2, "ranks translated");
  need(count[reordered_grids] == 0, "no grid was made");

  MPI_Group_free(&all);
  MPI_Group_free(&some);
  MPI_Comm_free(&half);
  MPI_Type_free(&column);
  need(PAPI_stop(events, count) == PAPI_OK, "PAPI_stop");
  free(plate);
  free(packed);
  MPI_Finalize();
  if (rank == 0) printf("%lld bytes packed, as PAPI sees it\n", count[packed_bytes]);
  return 0;
}
