/* The program of `marshal bench files`: reads and writes of memory with gaps, under Marshal's library, so that
 * MPI_File_* packs first and PMPI_File_* is the bare host. Each point is timed in four ways by turns:
 *
 *   bare        the host, with the gapped memory
 *   packed      Marshal, with the gapped memory
 *   contiguous  the host, with contiguous memory of as many bytes
 *   bound       the same, and one MPI_Pack before a write or one MPI_Unpack after a read
 *
 * Arguments: folders to put the file into. Prints one JSON object a line on rank 0; times are seconds of the slowest
 * rank, medians of the rounds. The memory is written before each write, as a program computes before it writes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure.h"

enum { most_rounds = 31, row = 4096, ways = 4 };
static const char* const way_names[ways] = {"bare", "packed", "contiguous", "bound"};

static int rank, size, rounds = 7;
static long bytes = 2 << 20; /* of each rank */

struct point {
  MPI_File file;
  MPI_Datatype type;
  char *gapped, *packed;
  long span, instances;
  int reads, collective;
};

/* MPI_X or PMPI_X of the four calls. */
#define ACCESS(prefix, p, memory, count, type)                                                                     \
  ((p)->reads ? ((p)->collective ? prefix##File_read_at_all((p)->file, 0, memory, count, type, MPI_STATUS_IGNORE)  \
                                 : prefix##File_read_at((p)->file, 0, memory, count, type, MPI_STATUS_IGNORE))     \
              : ((p)->collective ? prefix##File_write_at_all((p)->file, 0, memory, count, type, MPI_STATUS_IGNORE) \
                                 : prefix##File_write_at((p)->file, 0, memory, count, type, MPI_STATUS_IGNORE)))

static double time_one(const struct point* p, int way, int round) {
  int position = 0;
  memset(p->gapped, round + 1, (size_t)p->span);
  if (way == 2) memset(p->packed, round + 2, (size_t)bytes);
  PMPI_Barrier(MPI_COMM_WORLD);
  double begun = MPI_Wtime(), ended;
  if (way == 0) ACCESS(PMPI_, p, p->gapped, (int)p->instances, p->type);
  if (way == 1) ACCESS(MPI_, p, p->gapped, (int)p->instances, p->type);
  if (way == 3 && !p->reads)
    MPI_Pack(p->gapped, (int)p->instances, p->type, p->packed, (int)bytes, &position, MPI_COMM_SELF);
  if (way >= 2) ACCESS(PMPI_, p, p->packed, (int)bytes, MPI_BYTE);
  if (way == 3 && p->reads)
    MPI_Unpack(p->packed, (int)bytes, &position, p->gapped, (int)p->instances, p->type, MPI_COMM_SELF);
  double own = MPI_Wtime() - begun;
  PMPI_Allreduce(&own, &ended, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return ended;
}

static void measure(struct point* p, const char* folder, const char* view, int piece) {
  double times[ways][most_rounds];
  for (int warm = 0; warm < ways; ++warm) time_one(p, warm, 0);
  for (int round = 0; round < rounds; ++round)
    for (int turn = 0; turn < ways; ++turn) {
      int way = (round + turn) % ways;
      times[way][round] = time_one(p, way, round);
    }
  if (rank != 0) return;
  printf("{\"folder\": \"%s\", \"view\": \"%s\", \"calls\": \"%s\", \"access\": \"%s\", \"piece\": %d, \"bytes\": %ld",
         folder, view, p->collective ? "collective" : "independent", p->reads ? "read" : "write", piece, bytes);
  for (int way = 0; way < ways; ++way) printf(", \"%s\": %.6g", way_names[way], median(times[way], rounds));
  printf("}\n");
  fflush(stdout);
}

/* Pieces of 800 bytes are the rows inside a ghosted array: planes of 25 rows of 100 doubles (`bytes`: whole planes).
 * Other ones below 1 KiB have gaps of their own length, longer ones of 64 bytes. Returns the span of memory. */
static long make_type(int piece, long whole, MPI_Datatype* type) {
  enum { rows = 25, columns = 100 };
  long stride = piece < 1024 ? 2L * piece : piece + 64, pieces = whole / piece;
  if (piece == columns * (int)sizeof(double)) {
    int planes = (int)(pieces / rows), sizes[] = {planes + 2, rows + 2, columns + 2}, inner[] = {planes, rows, columns},
        at[] = {1, 1, 1};
    MPI_Type_create_subarray(3, sizes, inner, at, MPI_ORDER_C, MPI_DOUBLE, type);
    return (long)sizeof(double) * sizes[0] * sizes[1] * sizes[2];
  }
  MPI_Type_create_hvector((int)pieces, piece, stride, MPI_BYTE, type);
  return pieces * stride;
}

static void measure_pieces(const char* folder, const char* name, const char* view, int piece) {
  struct point p = {.instances = 1};
  long rows = (bytes + row - 1) / row;
  int is_interleaved = strcmp(view, "interleaved") == 0;
  MPI_Datatype file_type;
  p.span = make_type(piece, bytes, &p.type);
  MPI_Type_commit(&p.type);
  p.gapped = malloc((size_t)p.span);
  p.packed = malloc((size_t)bytes);
  if (p.gapped == NULL || p.packed == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &p.file);
  MPI_Type_vector((int)rows, row, row * size, MPI_BYTE, &file_type);
  MPI_Type_commit(&file_type);
  if (is_interleaved)
    MPI_File_set_view(p.file, (MPI_Offset)rank * row, MPI_BYTE, file_type, "native", MPI_INFO_NULL);
  else
    MPI_File_set_view(p.file, (MPI_Offset)rank * bytes, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
  for (p.reads = 0; p.reads < 2; ++p.reads)
    for (p.collective = 0; p.collective < 2; ++p.collective) measure(&p, folder, view, piece);
  MPI_File_close(&p.file);
  MPI_Type_free(&file_type);
  MPI_Type_free(&p.type);
  free(p.gapped);
  free(p.packed);
}

int main(int argc, char** argv) {
  static const int pieces[] = {8, 16, 32, 64, 256, 800, 1024, 4096, 16384, 65536};
  static const char* const views[] = {"contiguous", "interleaved"};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc < 4) MPI_Abort(MPI_COMM_WORLD, 2);
  rounds = atoi(argv[1]);
  bytes = atol(argv[2]);
  if (rounds < 1 || rounds > most_rounds || bytes < 65536) MPI_Abort(MPI_COMM_WORLD, 2);
  for (int i = 3; i < argc; ++i) {
    char name[4096];
    snprintf(name, sizeof name, "%s/marshal-bench-files.%ld", argv[i], (long)getppid());
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (size_t v = 0; v < sizeof views / sizeof *views; ++v)
      for (size_t k = 0; k < sizeof pieces / sizeof *pieces; ++k) {
        long whole = bytes;
        bytes -= bytes % (pieces[k] == 800 ? 25L * pieces[k] : pieces[k]); /* so that all four ways move as much */
        measure_pieces(argv[i], name, views[v], pieces[k]);
        bytes = whole;
      }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) MPI_File_delete(name, MPI_INFO_NULL);
  }
  MPI_Finalize();
  return 0;
}
