/* For tests only, preloaded into the ranks of Open MPI on emulated nodes, where more ranks than cores share this
   machine. Not for measuring latency. An idle rank of Open MPI calls sched_yield between polls. On Linux 6.18, where
   one rank did so and others of the same core slept, those that were ready to run got no turn for minutes, above all
   where an order binds ranks to their core. So idle ranks sleep a microsecond instead, as yield.c does for MPICH. */
#include <sched.h>
#include <time.h>

int sched_yield(void) {
  const struct timespec microsecond = {0, 1000};
  nanosleep(&microsecond, 0);
  return 0;
}
