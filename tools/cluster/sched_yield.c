/* For tests only, preloaded into the ranks of Open MPI on emulated nodes, where more ranks than cores share this
   machine. Not for measuring latency. An idle rank of Open MPI calls sched_yield between polls. Linux's scheduler (seen
   on 6.18) counts each such call as a whole slice of time used up: where one rank yields and another sleeps on the same
   core, ranks that want to run there can wait for minutes, above all where an order binds them to their core. So idle
   ranks sleep a microsecond instead, as yield.c does for MPICH. */
#include <sched.h>
#include <time.h>

int sched_yield(void) {
  const struct timespec microsecond = {0, 1000};
  nanosleep(&microsecond, 0);
  return 0;
}
