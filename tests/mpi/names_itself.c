/* Put between Marshal and a real MPI library, which it gives out for another: in the words of NAMES_ITSELF, and then in so many letters
 * that all of the 8191 bytes are used that MPICH's mpi.h allows. */
#include <stdlib.h>
#include <string.h>

int PMPI_Get_library_version(char *version, int *length) {
  const char *words = getenv("NAMES_ITSELF");
  size_t used = words ? strlen(words) : 0;
  memcpy(version, words ? words : "", used);
  memset(version + used, 'x', 8191 - used);
  version[8191] = '\0';
  *length = 8191;
  return 0;
}

/* As in MPICH 3.4, where an assertion fails at every call. */
int MPIX_Query_cuda_support(void) { abort(); }
