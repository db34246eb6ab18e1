/* Nonblocking writes that fail, as no file may grow, give the code, the request and the calls of the error handler that
 * the host gives for them: PMPI_File_iwrite is the host, MPI_File_iwrite goes through Marshal.
 *
 * cluster: nodes=1 ranks=1 env=MARSHAL_FILES=on args=file
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { pieces = 1000 };
static int memory[2 * pieces], handled;
static MPI_File file;
static MPI_Datatype type;

static void count_error(MPI_File* of, int* code, ...) {
  (void)of, (void)code;
  ++handled;
}

struct outcome {
  int class, handled, made, waited, bytes;
  MPI_Offset position;
};

#define WRITE(prefix, which, request)                                            \
  ((which) == 0   ? prefix##File_iwrite_at(file, 1000, memory, 1, type, request) \
   : (which) == 1 ? prefix##File_iwrite(file, memory, 1, type, request)          \
                  : prefix##File_iwrite_shared(file, memory, 1, type, request))

static struct outcome outcome_of(int which, int by_host) {
  struct outcome o = {0, 0, 0, 0, 0, 0};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  handled = 0;
  const int code = by_host ? WRITE(PMPI_, which, &request) : WRITE(MPI_, which, &request);
  o.handled = handled;
  MPI_Error_class(code, &o.class);
  o.made = request != MPI_REQUEST_NULL;
  MPI_File_get_position(file, &o.position);
  MPI_Status_set_elements(&status, MPI_BYTE, 77);
  o.waited = MPI_Wait(&request, &status);
  MPI_Get_elements(&status, MPI_BYTE, &o.bytes);
  return o;
}

static void say(const char* who, struct outcome o) {
  printf("  %s: class %d, handler called %d times, request %s, wait %d, %d bytes, position %lld\n", who, o.class,
         o.handled, o.made ? "made" : "null", o.waited, o.bytes, (long long)o.position);
}

int main(int argc, char** argv) {
  static const char* const names[] = {"MPI_File_iwrite_at", "MPI_File_iwrite", "MPI_File_iwrite_shared"};
  int wrong = 0;
  MPI_Init(&argc, &argv);
#ifdef OPEN_MPI
  printf("SKIP: Open MPI 4.1 dies of such requests by itself\n");
  MPI_Finalize();
  return 0;
#endif
  signal(SIGXFSZ, SIG_IGN);
  MPI_Errhandler handler;
  MPI_File_create_errhandler(count_error, &handler);
  MPI_File_open(MPI_COMM_SELF, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                &file);
  MPI_File_set_errhandler(file, handler);
  MPI_Type_vector(pieces, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  struct rlimit all, little;
  getrlimit(RLIMIT_FSIZE, &all);
  little = all;
  little.rlim_cur = 100;
  for (int which = 0; which < 3; ++which) {
    setrlimit(RLIMIT_FSIZE, &little);
    const struct outcome bare = outcome_of(which, 1), ours = outcome_of(which, 0);
    setrlimit(RLIMIT_FSIZE, &all);
    if (bare.class == ours.class && bare.handled == ours.handled && bare.made == ours.made &&
        bare.waited == ours.waited && bare.bytes == ours.bytes && bare.position == ours.position &&
        bare.class != MPI_SUCCESS)
      continue;
    printf("%s:\n", names[which]);
    say("host", bare);
    say("Marshal", ours);
    wrong = 1;
  }
  MPI_Type_free(&type);
  MPI_File_close(&file);
  MPI_Finalize();
  return wrong;
}
