/* Reads and writes far behind the end of a file, up to the last offset that there is, and the ordinary reads after
 * them: the code, the bytes, the pointer and the calls of the error handler are those that the host gives.
 * PMPI_File_read is the host, MPI_File_read goes through Marshal.
 *
 * cluster: nodes=1 ranks=1 env=MARSHAL_FILES=on args=file
 * cluster: nodes=1 ranks=1 env=MARSHAL_FILES=on args=file env4=OMPI_MCA_io=^ompio
 */
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { pieces = 1000, bytes_of_all = pieces * (int)sizeof(int), instances = 30, calls = 6 };
static int memory[2 * pieces], handled;
static MPI_File file;
static MPI_Datatype type;

static void count_error(MPI_File* of, int* code, ...) {
  (void)of, (void)code;
  ++handled;
}

struct outcome {
  int class, handled, bytes, changed;
  MPI_Offset position;
};

#define ACCESS(prefix, which, at)                                           \
  ((which) == 0   ? prefix##File_read_at(file, at, memory, 1, type, &s)     \
   : (which) == 1 ? prefix##File_read(file, memory, 1, type, &s)            \
   : (which) == 2 ? prefix##File_read_at_all(file, at, memory, 1, type, &s) \
   : (which) == 3 ? prefix##File_read_all(file, memory, 1, type, &s)        \
   : (which) == 4 ? prefix##File_write_at(file, at, memory, 1, type, &s)    \
                  : prefix##File_write(file, memory, 1, type, &s))
static const char* const names[calls] = {"read_at", "read", "read_at_all", "read_all", "write_at", "write"};

static struct outcome outcome_of(int which, MPI_Offset at, int by_host) {
  struct outcome o;
  MPI_Status s;
  memset(&o, 0, sizeof o);
  memset(memory, 0x55, sizeof memory);
  PMPI_Status_set_elements(&s, MPI_BYTE, 77);
  PMPI_File_seek(file, at, MPI_SEEK_SET);
  handled = 0;
  const int code = by_host ? ACCESS(PMPI_, which, at) : ACCESS(MPI_, which, at);
  o.handled = handled;
  MPI_Error_class(code, &o.class);
  PMPI_Get_elements(&s, MPI_BYTE, &o.bytes);
  if (code != MPI_SUCCESS) o.bytes = 0;
  PMPI_File_get_position(file, &o.position);
  for (int i = 0; i < 2 * pieces; ++i) o.changed += memory[i] != 0x55555555;
  return o;
}

static void say(const char* who, struct outcome o) {
  printf("  %s: class %d, handler called %d times, %d bytes, %d numbers came, position %lld\n", who, o.class, o.handled,
         o.bytes, o.changed, (long long)o.position);
}

static int compare(const char* when, int which, MPI_Offset at) {
  const struct outcome ours = outcome_of(which, at, 0);
  struct outcome bare = outcome_of(which, at, 1);
  // Where nothing comes, ROMIO may fill the memory with what its buffers held by chance.
  if (at != 0 && at != bytes_of_all && ours.changed == 0) bare.changed = 0;
  if (memcmp(&bare, &ours, sizeof bare) == 0) return 0;
  printf("MPI_File_%s at %lld%s:\n", names[which], (long long)at, when);
  say("host", bare);
  say("Marshal", ours);
  return 1;
}

int main(int argc, char** argv) {
  const MPI_Offset last = LLONG_MAX,
                   far_places[] = {
                       1LL << 40, 1LL << 62, last - 2 * bytes_of_all, last - bytes_of_all, last - bytes_of_all / 2,
                       last};
  int wrong = 0;
  MPI_Init(&argc, &argv);
  if (argc != 2) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Errhandler handler;
  MPI_File_create_errhandler(count_error, &handler);
  MPI_File_open(MPI_COMM_SELF, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                &file);
  MPI_File_set_errhandler(file, handler);
  MPI_Type_vector(pieces, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  for (int i = 0; i < instances; ++i)
    MPI_File_write_at(file, (MPI_Offset)i * bytes_of_all, memory, 1, type, MPI_STATUS_IGNORE);
  for (unsigned i = 0; i < sizeof far_places / sizeof *far_places; ++i)
    for (int which = 0; which < calls; ++which) {
      // ROMIO itself ends the job, as it cannot lock what it would write.
      if (which >= 4 && far_places[i] > last - bytes_of_all) continue;
      wrong += compare("", which, far_places[i]);
      wrong += compare(", after one far away", 0, 0);
      wrong += compare(", after one far away", 1, bytes_of_all);
    }
  MPI_Type_free(&type);
  MPI_File_close(&file);
  MPI_Finalize();
  return wrong != 0;
}
