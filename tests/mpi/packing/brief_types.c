// Types that live for some packs and are new each time, until Marshal gives them first programs: each pack has the
// bytes of the standard, whatever the type, the room and the thread, and though handles are used again at once.
// cluster: nodes=1 ranks=1 env=MARSHAL_PACK=auto
// cluster: nodes=1 ranks=1 env=MARSHAL_PACK=auto env=MARSHAL_MESSAGES=off
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/mpi/thread_multiple.h"

enum { threads = 3, first_commits = 1100, lives = 600, most_blocks = 120, room = 1 << 17, least_long = 4 << 20 };
enum kind { vector, hvector, indexed, hindexed, indexed_block, hindexed_block, kinds };
static atomic_int wrong;

struct blocks {
  int count, at[most_blocks], length[most_blocks];  // in integers
};

struct work {
  struct blocks blocks;
  int user[room], back[room], expected_back[room];
  char packed[room], expected[room];
};

// A list of blocks as `kind` can have it, one in twenty out of order.
static void draw(struct blocks* b, enum kind kind, unsigned* seed) {
  const int same = 1 + rand_r(seed) % 3, gap = 1 + rand_r(seed) % 9;
  b->count = 2 + rand_r(seed) % (most_blocks - 2);
  int at = 0;
  for (int i = 0; i < b->count; i++) {
    b->length[i] = kind == indexed || kind == hindexed ? 1 + rand_r(seed) % 4 : same;
    b->at[i] = at;
    at += b->length[i] + (kind == vector || kind == hvector ? gap : rand_r(seed) % 6);
  }
  if (kind > hvector && rand_r(seed) % 20 == 0) {
    const int last = b->at[b->count - 1] + 16;
    b->at[0] = last;
  }
}

static MPI_Datatype made(const struct blocks* b, enum kind kind) {
  MPI_Datatype type;
  MPI_Aint places[most_blocks];
  for (int i = 0; i < b->count; i++) places[i] = b->at[i] * (MPI_Aint)sizeof(int);
  const int stride = b->at[1] - b->at[0];
  switch (kind) {
    case vector:
      MPI_Type_vector(b->count, b->length[0], stride, MPI_INT, &type);
      break;
    case hvector:
      MPI_Type_create_hvector(b->count, b->length[0], stride * (MPI_Aint)sizeof(int), MPI_INT, &type);
      break;
    case indexed:
      MPI_Type_indexed(b->count, b->length, b->at, MPI_INT, &type);
      break;
    case hindexed:
      MPI_Type_create_hindexed(b->count, b->length, places, MPI_INT, &type);
      break;
    case indexed_block:
      MPI_Type_create_indexed_block(b->count, b->length[0], b->at, MPI_INT, &type);
      break;
    default:
      MPI_Type_create_hindexed_block(b->count, b->length[0], places, MPI_INT, &type);
      break;
  }
  return type;
}

// Packs by loops, and unpacks into `expected_back`; the bytes.
static int expect(struct work* w, MPI_Aint extent, int count) {
  int bytes = 0;
  memset(w->expected_back, 0, sizeof w->expected_back);
  for (int k = 0; k < count; k++)
    for (int i = 0; i < w->blocks.count; i++) {
      const size_t at = (size_t)(k * extent) + sizeof(int) * (size_t)w->blocks.at[i];
      const size_t length = sizeof(int) * (size_t)w->blocks.length[i];
      memcpy(w->expected + bytes, (char*)w->user + at, length);
      memcpy((char*)w->expected_back + at, (char*)w->user + at, length);
      bytes += (int)length;
    }
  return bytes;
}

static void pack_both_ways(struct work* w, MPI_Datatype type, int count, int bytes) {
  int position = 0;
  memset(w->packed, 0, (size_t)bytes);
  wrong += MPI_Pack(w->user, count, type, w->packed, room, &position, MPI_COMM_WORLD) != MPI_SUCCESS;
  wrong += position != bytes || memcmp(w->packed, w->expected, (size_t)bytes) != 0;
  position = 0;
  wrong += MPI_Unpack(w->expected, bytes, &position, w->back, count, type, MPI_COMM_WORLD) != MPI_SUCCESS;
  wrong += position != bytes;
}

static void live(struct work* w, enum kind kind, unsigned* seed) {
  draw(&w->blocks, kind, seed);
  MPI_Datatype type = made(&w->blocks, kind);
  MPI_Type_commit(&type);
  MPI_Aint lower, extent;
  MPI_Type_get_extent(type, &lower, &extent);
  const int count = 1 + rand_r(seed) % 3, bytes = expect(w, extent, count);
  // One in fifty lives so long that its first program has done its part.
  const int is_long = rand_r(seed) % 50 == 0, times = is_long ? least_long / bytes + 4200 : 20 + rand_r(seed) % 20;
  memset(w->back, 0, sizeof w->back);
  for (int i = 0; i < times; i++) pack_both_ways(w, type, count, bytes);
  wrong += memcmp(w->back, w->expected_back, sizeof w->back) != 0;
  // Too little room, and no instance: as the host has it.
  int position = 0, host_position = 0;
  const int code = MPI_Pack(w->user, count, type, w->packed, bytes - 1, &position, MPI_COMM_WORLD);
  wrong += code != PMPI_Pack(w->user, count, type, w->packed, bytes - 1, &host_position, MPI_COMM_WORLD);
  wrong += position != host_position;
  position = 0;
  wrong += MPI_Pack(w->user, 0, type, w->packed, room, &position, MPI_COMM_WORLD) != MPI_SUCCESS || position != 0;
  // Now and then Marshal does not see that it is freed, nor that another type is committed with its handle.
  if (rand_r(seed) % 10 != 0) {
    MPI_Type_free(&type);
    return;
  }
  PMPI_Type_free(&type);
  draw(&w->blocks, kind, seed);
  type = made(&w->blocks, kind);
  PMPI_Type_commit(&type);
  MPI_Type_get_extent(type, &lower, &extent);
  const int other_bytes = expect(w, extent, 1);
  for (int i = 0; i < 3; i++) pack_both_ways(w, type, 1, other_bytes);
  PMPI_Type_free(&type);
}

static void* run(void* number) {
  unsigned seed = 1 + (unsigned)(size_t)number;
  struct work* w = malloc(sizeof *w);
  for (int i = 0; i < room; i++) w->user[i] = (int)(rand_r(&seed));
  for (int i = 0; i < lives; i++) live(w, (enum kind)(i / 50 % kinds), &seed);
  free(w);
  return NULL;
}

int main(int argc, char** argv) {
  pthread_t thread[threads];
  init_thread_multiple(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int i = 0; i < first_commits; i++) {
    MPI_Datatype type;
    MPI_Type_vector(2, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&type);
  }
  run((void*)(size_t)threads);  // alone
  for (int i = 0; i < threads; i++) pthread_create(&thread[i], NULL, run, (void*)(size_t)i);
  for (int i = 0; i < threads; i++) pthread_join(thread[i], NULL);
  printf("%d wrong\n", wrong);
  MPI_Finalize();
  return wrong != 0;
}
