/* Run by hand (9 GB of memory, a minute or two): more than 2 GiB packed and unpacked in one call by MPI_Pack_c and by
 * PMPI_Pack_c, the bytes compared by hash. A host without _c calls packs less than 2 GiB out of more.
 *
 *   make tests/mpi/packing/large-pack-HOST && MARSHAL_REPORT=none LD_PRELOAD=$PWD/libmarshal.so
 * tests/mpi/packing/large-pack-HOST
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if MPI_VERSION >= 4
typedef MPI_Count Size;
#define CALL(name) name##_c
enum { blocks = 150 * 1000 * 1000 };
#else
typedef int Size;
#define CALL(name) name
enum { blocks = 100 * 1000 * 1000 };
#endif
enum { block = 16, stride = 40 };

static uint64_t hash(const unsigned char* bytes, size_t size) {
  uint64_t h = 1469598103934665603u;
  for (size_t i = 0; i + 8 <= size; i += 8) {
    uint64_t word;
    memcpy(&word, bytes + i, 8);
    h = (h ^ word) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
  }
  return h;
}

static int failed = 0;
static void compare(const char* what, uint64_t ours, uint64_t hosts) {
  printf("%s: %016llx by MPI, %016llx by PMPI%s\n", what, (unsigned long long)ours, (unsigned long long)hosts,
         ours == hosts ? "" : ", DIFFERENT");
  failed |= ours != hosts;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const Size size = (Size)block * blocks;
  const size_t span = (size_t)stride * (blocks - 1) + block;
  unsigned char *user = malloc(span), *packed = malloc((size_t)size);
  MPI_Datatype two, type;
  MPI_Type_contiguous(2, MPI_DOUBLE, &two);
  MPI_Type_create_hvector(blocks, 1, stride, two, &type);
  MPI_Type_commit(&type);
  if (user == NULL || packed == NULL) return 77;
  for (size_t i = 0; i + 8 <= span; i += 8) {
    const uint64_t word = i * 0x9e3779b97f4a7c15u;
    memcpy(user + i, &word, 8);
  }
  uint64_t packed_hash[2], user_hash[2];
  for (int by_host = 0; by_host < 2; ++by_host) {
    Size position = 0;
    memset(packed, 0, (size_t)size);
    /* The first finds the type worth its while, and the engine packs at once. */
    if (by_host)
      CALL(PMPI_Pack)(user, 1, type, packed, size, &position, MPI_COMM_SELF);
    else
      CALL(MPI_Pack)(user, 1, type, packed, size, &position, MPI_COMM_SELF);
    packed_hash[by_host] = hash(packed, (size_t)size);
    failed |= position != size;
  }
  compare("packed", packed_hash[0], packed_hash[1]);
  for (int by_host = 0; by_host < 2; ++by_host) {
    Size position = 0;
    memset(user, 0, span);
    if (by_host)
      CALL(PMPI_Unpack)(packed, size, &position, user, 1, type, MPI_COMM_SELF);
    else
      CALL(MPI_Unpack)(packed, size, &position, user, 1, type, MPI_COMM_SELF);
    user_hash[by_host] = hash(user, span);
    failed |= position != size;
  }
  compare("unpacked", user_hash[0], user_hash[1]);
  printf("%lld bytes out of %zu\n", (long long)size, span);
  MPI_Type_free(&type);
  MPI_Type_free(&two);
  MPI_Finalize();
  return failed;
}
