// Stands in front of Marshal, or of the recorder alone, and tells the recorder what is inside MPI_Init and MPI_Finalize: there Marshal has calls of
// its own.
#define _GNU_SOURCE
#include <dlfcn.h>

typedef long word;
static word apart(const char* name, word a, word b, word c, word d) {
  void (*recorder)(int) = (void (*)(int))dlsym(RTLD_DEFAULT, "recorder_apart");
  word (*next)(word, word, word, word) = (word(*)(word, word, word, word))dlsym(RTLD_NEXT, name);
  recorder(1);
  const word result = next(a, b, c, d);
  recorder(-1);
  return result;
}

#define APART(name) \
  word name(word a, word b, word c, word d) { return apart(#name, a, b, c, d); }
#define APART_IN_ALL(c, lower, upper) \
  APART(c) APART(lower) APART(lower##_) APART(lower##__) APART(upper) APART(lower##_f08_)
APART_IN_ALL(MPI_Init, mpi_init, MPI_INIT)
APART_IN_ALL(MPI_Init_thread, mpi_init_thread, MPI_INIT_THREAD)
APART_IN_ALL(MPI_Finalize, mpi_finalize, MPI_FINALIZE)
APART(MPI_Session_init)
APART(MPI_Session_finalize)
