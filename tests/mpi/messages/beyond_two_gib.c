// A message of more than 2 GiB arrives whole: as many instances of a small type, and as one instance of a large one. So
// does what is packed and unpacked at once, by MPI_Pack_c on one side and PMPI_Unpack_c on the other, and the reverse.
// A host without these packs less than 2 GiB out of more.
//
// cluster: nodes=1 ranks=2 timeout=300 env=MARSHAL_MESSAGES=on env=MARSHAL_PACK=mars
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { used = 3, apart = 4, count = (1 << 30) / (used * 4) + 1000 };  // doubles; 8 * used * count > 2 GiB
static int me, wrong;
static double* user;

static double sent_at(long i, int turn) { return (double)i + 0.25 * turn; }

static void fill(int has_data, int turn) {
  for (long i = 0; i < (long)count * apart; i++) user[i] = has_data ? sent_at(i, turn) : -1;
}

// Looks at every element; the first `columns` have data.
static void expect(const char* what, int columns, int turn) {
  for (long i = 0; i < (long)count * apart; i++)
    if (user[i] != (i % apart < used && i / apart < columns ? sent_at(i, turn) : -1)) {
      printf("%s: element %ld is %g\n", what, i, user[i]);
      wrong++;
      return;
    }
}

static void exchange(const char* what, int instances, MPI_Datatype type, int turn) {
  MPI_Status status;
  MPI_Count elements;
  fill(me == 0, turn);
  if (me == 0) {
    MPI_Send(user, instances, type, 1, turn, MPI_COMM_WORLD);
    return;
  }
  MPI_Recv(user, instances, type, 0, turn, MPI_COMM_WORLD, &status);
  MPI_Get_elements_x(&status, type, &elements);
  if (elements != (MPI_Count)used * count) printf("%s: %lld elements\n", what, (long long)elements), wrong++;
  expect(what, count, turn);
}

#if MPI_VERSION >= 4
typedef MPI_Count Size;
#define CALL(name) name##_c
enum { packed_count = count };
#else
typedef int Size;
#define CALL(name) name
enum { packed_count = count - 2000 };
#endif

static void pack_and_unpack(MPI_Datatype column) {
  const Size size = (Size)sizeof(double) * used * packed_count;
  char* packed = malloc((size_t)size);
  if (packed == NULL) return (void)printf("not packed: no memory\n");
  MPI_Datatype type;
  MPI_Type_contiguous(packed_count, column, &type);
  MPI_Type_commit(&type);
  for (int by_host = 0; by_host < 2; by_host++) {
    Size position = 0;
    fill(1, 2);
    (by_host ? CALL(PMPI_Pack) : CALL(MPI_Pack))(user, 1, type, packed, size, &position, MPI_COMM_SELF);
    if (position != size) printf("%lld bytes are packed\n", (long long)position), wrong++;
    fill(0, 2);
    position = 0;
    (by_host ? CALL(MPI_Unpack) : CALL(PMPI_Unpack))(packed, size, &position, user, 1, type, MPI_COMM_SELF);
    expect(by_host ? "unpacked" : "packed", packed_count, 2);
  }
  MPI_Type_free(&type);
  free(packed);
}

static double available_gib(void) {
  FILE* file = fopen("/proc/meminfo", "r");
  char line[200];
  double kib = 0;
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "MemAvailable: %lf", &kib) == 1) break;
  if (file != NULL) fclose(file);
  return kib / (1024 * 1024);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  double gib = available_gib();
  MPI_Bcast(&gib, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (gib < 8) {
    if (me == 0) printf("SKIP: %.1f GiB of memory are free, and this takes 8\n", gib);
    MPI_Finalize();
    return 0;
  }
  user = aligned_alloc(1 << 21, (sizeof(double) * apart * count + (1 << 21) - 1) >> 21 << 21);
  if (user == NULL) printf("no memory\n"), MPI_Abort(MPI_COMM_WORLD, 1);
  madvise(user, sizeof(double) * apart * count, MADV_HUGEPAGE);  // a page fault costs 20 us on some virtual machines
  MPI_Datatype three, column, all;
  MPI_Type_contiguous(used, MPI_DOUBLE, &three);
  MPI_Type_create_resized(three, 0, apart * sizeof(double), &column);
  MPI_Type_commit(&column);
  MPI_Type_contiguous(count, column, &all);
  MPI_Type_commit(&all);
  exchange("many instances", count, column, 0);
  exchange("one instance", 1, all, 1);
  if (gib < 10)
    printf("not packed: that takes 10 GiB, and %.1f are free\n", gib);
  else if (me == 1)
    pack_and_unpack(column);
  MPI_Type_free(&three);
  MPI_Type_free(&column);
  MPI_Type_free(&all);
  free(user);
  printf("rank %d: %d wrong\n", me, wrong);
  MPI_Finalize();
  return wrong != 0;
}
