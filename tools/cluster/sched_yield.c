/* For tests only, preloaded into the ranks of Open MPI on emulated nodes, where more ranks than cores share this
   machine. Not for measuring latency. An idle rank of Open MPI calls sched_yield between polls. On Linux 6.18, where
   one rank did so and others of the same core slept, those that were ready to run got no turn for minutes, above all
   where an order binds ranks to their core. So idle ranks sleep instead, as yield.c does for MPICH: a quarter as long as
   they have been idle, since many short sleeps would take the cores as well. A poll that took long found something, or
   the rank was not waiting before. On networks (CLUSTER_NODES=net), where people compare times, all sleeps are short. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { longest_idle_poll = 20, shortest_pause = 1, longest_pause = 1000 /* microseconds */ };

static long microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int on_network(void) {
  static int answer = -1;
  if (answer < 0) {
    const char *nodes = getenv("CLUSTER_NODES");
    answer = nodes && strcmp(nodes, "net") == 0;
  }
  return answer;
}

int sched_yield(void) {
  static __thread long idle_since, woke;
  const long now = microseconds();
  if (now - woke > longest_idle_poll) idle_since = now;
  long pause = on_network() ? 0 : (now - idle_since) / 4;
  if (pause < shortest_pause) pause = shortest_pause;
  if (pause > longest_pause) pause = longest_pause;
  const struct timespec sleep = {0, 1000 * pause};
  nanosleep(&sleep, 0);
  woke = microseconds();
  return 0;
}
