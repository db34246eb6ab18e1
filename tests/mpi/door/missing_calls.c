/* A program that finds calls in the global scope, as Julia's MPI.jl does, and in a library that it opens late, as python's
 * wheels of mpi4py do. Bare, those that the host lacks are not found. Under Marshal all are found: they do what the older
 * call does, or they fail by the program's error handler. The process goes on. */
// missing_calls [alone]
// cluster: nodes=1 ranks=3 env4=OMPI_MCA_osc=pt2pt
// cluster: nodes=1 ranks=2 report=no env=MARSHAL_DISABLE=on env4=OMPI_MCA_osc=pt2pt
// cluster: nodes=1 ranks=2 report=no env=MARSHAL_EXCLUDE=missing_calls.mpi env4=OMPI_MCA_osc=pt2pt
// cluster: nodes=1 ranks=2 env=MARSHAL_MODE=observe env4=OMPI_MCA_osc=pt2pt
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int failed, told, last_code;
static int is_alone; /* libmarshal.so without the library for the MPI: no handler learns of what Marshal finds */
static void check(int right, const char* what) {
  if (!right) printf("%s\n", what);
  failed |= !right;
}
static void on_error(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  ++told;
  MPI_Error_class(*code, &last_code);
}

static void* find(const char* name) { return dlsym(RTLD_DEFAULT, name); }
static int is_missing(const char* name) {
  char with_p[64];
  snprintf(with_p, sizeof with_p, "P%s", name);
  return find(with_p) == NULL && find(name) != NULL;
}

/* A call fails with this class, and the handler learns of it once. */
static void check_error(int code, int expected, const char* what) {
  int class = -1;
  MPI_Error_class(code, &class);
  const int is_told = !is_alone || expected == MPI_ERR_COMM;
  check(class == expected && told == is_told && last_code == (is_told ? expected : 0), what);
  told = last_code = 0;
}

static void calls_that_fail(void) {
  const int64_t too_large = ((int64_t)1 << 32) + 1, counts[] = {1, too_large, 1}, places[] = {0, 0, 0};
  int one = 1, out[4] = {0};
  MPI_Errhandler handler;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Datatype type;
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  if (is_missing("MPI_Send_c")) {
    int (*const send)() = (int (*)())find("MPI_Send_c");
    check_error(send(&one, too_large, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD), MPI_ERR_COUNT, "Send_c");
    int (*const contiguous)() = (int (*)())find("MPI_Type_contiguous_c");
    check_error(contiguous(too_large, MPI_INT, &type), MPI_ERR_COUNT, "Type_contiguous_c");
    int (*const all)() = (int (*)())find("MPI_Allgatherv_c");
    check_error(all(&one, (int64_t)1, MPI_INT, out, counts, places, MPI_INT, MPI_COMM_WORLD), MPI_ERR_COUNT,
                "Allgatherv_c");
    check_error(all(&one, (int64_t)1, MPI_INT, out, counts, places, MPI_INT, MPI_COMM_NULL), MPI_ERR_COMM,
                "Allgatherv_c without a communicator");
  }
  if (is_missing("MPI_Barrier_init")) {
    int (*const barrier)() = (int (*)())find("MPI_Barrier_init");
    check_error(barrier(MPI_COMM_WORLD, MPI_INFO_NULL, &request), MPI_ERR_UNSUPPORTED_OPERATION, "Barrier_init");
  }
  if (is_missing("MPI_Session_init")) {
    int (*const begin)() = (int (*)())find("MPI_Session_init");
    void* session = NULL;
    check(begin(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_ERR_UNSUPPORTED_OPERATION && told == 0, "Session_init");
  }
  MPI_Errhandler_free(&handler);
}

/* Before MPI_Init and behind MPI_Finalize there is no handler. */
static void session_outside(void) {
  if (!is_missing("MPI_Session_init")) return;
  int (*const begin)() = (int (*)())find("MPI_Session_init");
  void* session = NULL;
  check(begin(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session) == MPI_ERR_UNSUPPORTED_OPERATION, "Session_init outside");
}

int main(int argc, char** argv) {
  char library[4096];
  is_alone = argc > 1;
  snprintf(library, sizeof library, "%.*s/late_calls.so", (int)(strrchr(argv[0], '/') - argv[0]), argv[0]);
  session_outside();
  MPI_Init(NULL, NULL);
  void* const late = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (late == NULL) {
    printf("%s\n", dlerror());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  failed |= ((int (*)(int, int))dlsym(late, "late_calls"))(find("marshal_comm_process") != NULL, is_alone ? 60 : 200);
  calls_that_fail();
  MPI_Finalize();
  session_outside();
  return failed;
}
