/* For tests only, preloaded into the ranks of MPICH (ch4:ucx; Debian 11's 3.4 is ch3:nemesis) on emulated nodes. Not for measuring
   latency.
   It polls without ever giving the processor away, so that with more ranks than cores everything waits for the scheduler's tick: sleep after
   a few polls that found nothing, a quarter as long as the sleeps before: many short sleeps would take the cores as well. Over tcp
   (CLUSTER_NODES=net, or UCX_TLS has it), where people compare times, all sleeps are short. ch3:nemesis looks at its sockets by poll(), with a
   timeout of nothing.
   Its MPI_Finalize over UCX's tcp flushes each connection and then waits in PMI without polling; with 16 ranks on a slow link one rank's flush
   often needs a peer that waits there already, and the job hangs; so do some of two ranks. Over tcp connections are given a moment
   instead, and not flushed: Finalize comes after the program's last message. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

unsigned ucp_worker_progress(void *worker);
void *ucp_disconnect_nb(void *endpoint);

enum { idle_polls_before_sleep = 4, last_moment_polls = 2000, shortest_pause = 50, longest_pause = 1000 /* microseconds */ };
static void *the_worker;

static void *next_function(const char *name) {
  void *function = dlsym(RTLD_NEXT, name);
  if (!function) abort();
  return function;
}

static int over_tcp(void) {
  static int answer = -1;
  if (answer < 0) {
    const char *nodes = getenv("CLUSTER_NODES"), *transports = getenv("UCX_TLS");
    answer = (nodes && strcmp(nodes, "net") == 0) || (transports && strstr(transports, "tcp"));
  }
  return answer;
}

static void rest_if_idle(int events) {
  static __thread unsigned idle_polls;
  static __thread long slept; /* microseconds */
  if (events) {
    idle_polls = 0, slept = 0;
  } else if (++idle_polls >= idle_polls_before_sleep) {
    long pause = slept / 4;
    if (pause < shortest_pause) pause = shortest_pause;
    if (pause > longest_pause) pause = longest_pause;
    if (over_tcp()) pause = 1;
    const struct timespec sleep = {0, 1000 * pause};
    nanosleep(&sleep, 0);
    slept += pause;
  }
}

unsigned ucp_worker_progress(void *worker) {
  static unsigned (*next)(void *);
  unsigned (*call)(void *) = __atomic_load_n(&next, __ATOMIC_RELAXED);
  if (!call) {
    *(void **)&call = next_function("ucp_worker_progress");
    __atomic_store_n(&next, call, __ATOMIC_RELAXED);
  }
  /* The last one: a program may have had its own before MPI_Init. */
  if (__atomic_load_n(&the_worker, __ATOMIC_RELAXED) != worker) __atomic_store_n(&the_worker, worker, __ATOMIC_RELAXED);
  const unsigned events = call(worker);
  rest_if_idle(events != 0);
  return events;
}

int poll(struct pollfd *files, nfds_t count, int timeout) {
  static int (*next)(struct pollfd *, nfds_t, int);
  int (*call)(struct pollfd *, nfds_t, int) = __atomic_load_n(&next, __ATOMIC_RELAXED);
  if (!call) {
    *(void **)&call = next_function("poll");
    __atomic_store_n(&next, call, __ATOMIC_RELAXED);
  }
  const int ready = call(files, count, timeout);
  if (timeout == 0) rest_if_idle(ready);
  return ready;
}

void *ucp_disconnect_nb(void *endpoint) {
  static int moment_given;
  if (!over_tcp() || !the_worker) {
    void *(*next)(void *);
    *(void **)&next = next_function("ucp_disconnect_nb");
    return next(endpoint);
  }
  if (!moment_given) {
    moment_given = 1;
    for (int poll = 0; poll < last_moment_polls; poll++) ucp_worker_progress(the_worker);
  }
  return 0; /* done at once */
}
