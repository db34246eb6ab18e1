/* An MPI library that was initialised, and that says so if its constructor runs more than once. */
#include <unistd.h>

int PMPI_Initialized(int* flag) {
  *flag = 1;
  return 0;
}

static int constructed = 0;
__attribute__((constructor)) static void begin(void) {
  static const char again[] = "constructed again\n";
  if (constructed++ > 0) (void)!write(STDERR_FILENO, again, sizeof again - 1);
}
