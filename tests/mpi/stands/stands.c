/* Jobs that hang, and jobs that are only slow (tests/mpi/stands/run): stands JOB PLACE RANK SECONDS.

   PLACE, 0 to 2, is which of three lines makes a call: they are marked by HERE, the call's word and the number of the place. RANK does what the
   job's name says, and `next` is the rank behind it; all others wait for it. What is slow takes so many SECONDS. A slow job prints "done". */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PLACE __attribute__((noinline)) static void
enum { tag = 5, other_tag = 6, rows = 16 };
static volatile int place;
static int self, ranks, culprit, next, value = 1, sum;
static double seconds;
static MPI_Comm world = MPI_COMM_WORLD;
static MPI_Status status;

PLACE barrier(MPI_Comm on) {
  if (place == 0) MPI_Barrier(on); /* HERE barrier 0 */
  if (place == 1) MPI_Barrier(on); /* HERE barrier 1 */
  if (place == 2) MPI_Barrier(on); /* HERE barrier 2 */
}
PLACE allreduce(MPI_Comm on) {
  if (place == 0) MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, on); /* HERE allreduce 0 */
  if (place == 1) MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, on); /* HERE allreduce 1 */
  if (place == 2) MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, on); /* HERE allreduce 2 */
}
PLACE bcast(int root, MPI_Comm on) {
  if (place == 0) MPI_Bcast(&value, 1, MPI_INT, root, on); /* HERE bcast 0 */
  if (place == 1) MPI_Bcast(&value, 1, MPI_INT, root, on); /* HERE bcast 1 */
  if (place == 2) MPI_Bcast(&value, 1, MPI_INT, root, on); /* HERE bcast 2 */
}
PLACE reduce(int root, MPI_Comm on) {
  if (place == 0) MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, root, on); /* HERE reduce 0 */
  if (place == 1) MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, root, on); /* HERE reduce 1 */
  if (place == 2) MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, root, on); /* HERE reduce 2 */
}
PLACE receive(int from, int with) {
  if (place == 0) MPI_Recv(&sum, 1, MPI_INT, from, with, world, &status); /* HERE receive 0 */
  if (place == 1) MPI_Recv(&sum, 1, MPI_INT, from, with, world, &status); /* HERE receive 1 */
  if (place == 2) MPI_Recv(&sum, 1, MPI_INT, from, with, world, &status); /* HERE receive 2 */
}
PLACE transmit(int to, int with) {
  if (place == 0) MPI_Send(&value, 1, MPI_INT, to, with, world); /* HERE send 0 */
  if (place == 1) MPI_Send(&value, 1, MPI_INT, to, with, world); /* HERE send 1 */
  if (place == 2) MPI_Send(&value, 1, MPI_INT, to, with, world); /* HERE send 2 */
}
PLACE finalize(void) {
  if (place == 0) MPI_Finalize(); /* HERE finalize 0 */
  if (place == 1) MPI_Finalize(); /* HERE finalize 1 */
  if (place == 2) MPI_Finalize(); /* HERE finalize 2 */
}
static int test(MPI_Request* request) {
  int done = 0;
  if (place == 0) MPI_Test(request, &done, &status); /* HERE test 0 */
  if (place == 1) MPI_Test(request, &done, &status); /* HERE test 1 */
  if (place == 2) MPI_Test(request, &done, &status); /* HERE test 2 */
  return done;
}
static int testsome(MPI_Request* requests) {
  int done = 0, which[2];
  MPI_Status statuses[2];
  if (place == 0) MPI_Testsome(2, requests, &done, which, statuses); /* HERE testsome 0 */
  if (place == 1) MPI_Testsome(2, requests, &done, which, statuses); /* HERE testsome 1 */
  if (place == 2) MPI_Testsome(2, requests, &done, which, statuses); /* HERE testsome 2 */
  return done;
}
static int iprobe(int from) {
  int is_there = 0;
  if (place == 0) MPI_Iprobe(from, tag, world, &is_there, &status); /* HERE iprobe 0 */
  if (place == 1) MPI_Iprobe(from, tag, world, &is_there, &status); /* HERE iprobe 1 */
  if (place == 2) MPI_Iprobe(from, tag, world, &is_there, &status); /* HERE iprobe 2 */
  return is_there;
}
static MPI_Comm split(int colour) {
  MPI_Comm part = MPI_COMM_NULL;
  if (place == 0) MPI_Comm_split(world, colour, self, &part); /* HERE split 0 */
  if (place == 1) MPI_Comm_split(world, colour, self, &part); /* HERE split 1 */
  if (place == 2) MPI_Comm_split(world, colour, self, &part); /* HERE split 2 */
  return part;
}
static MPI_Comm duplicate(void) {
  MPI_Comm other = MPI_COMM_NULL;
  MPI_Comm_dup(world, &other); /* HERE dup 0 */
  return other;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}
static void rest(double s) { usleep((unsigned)(s * 1e6)); }
/* Others may have the core. */
static void compute(double s) {
  setpriority(PRIO_PROCESS, 0, 19);
  for (const double end = now() + s; now() < end;) continue;
}
static void read_a_pipe(void) {
  int ends[2];
  char byte;
  if (pipe(ends) != 0 || read(ends[0], &byte, 1) != 1) abort();
}
/* The culprit's last call; it is complete when next has its message. */
static void last_call(void) {
  if (self == culprit) transmit(next, tag);
  if (self == next) MPI_Recv(&sum, 1, MPI_INT, culprit, tag, world, &status);
}
static void* in_thread(void* function) {
  ((void (*)(void))function)();
  return NULL;
}
static pthread_t beside(void (*function)(void)) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, in_thread, (void*)function) != 0) abort();
  return thread;
}
static int needs_threads(void) {
  int level;
  MPI_Query_thread(&level);
  if (level == MPI_THREAD_MULTIPLE) return 1;
  if (self == 0) puts("SKIP: no MPI_THREAD_MULTIPLE");
  return 0;
}

/* Jobs that hang. */
static void missing(void) { self == culprit ? receive(next, tag) : allreduce(world); }
static void crossed(void) {
  if (self == culprit) receive(next, tag);
  if (self == next) receive(culprit, tag);
  barrier(world);
}
static void different(void) { self == culprit ? bcast(next, world) : barrier(world); }
static void loop(void) {
  last_call();
  self == culprit ? compute(1e9) : allreduce(world);
}
static void in_read(void) {
  last_call();
  self == culprit ? read_a_pipe() : allreduce(world);
}
static void stopped(void) {
  last_call();
  if (self == culprit) raise(SIGSTOP);
  allreduce(world);
}
static void killed(void) {
  last_call();
  signal(SIGUSR1, SIG_IGN); /* in case hydra tells the others by it */
  if (self == culprit) rest(seconds), raise(SIGKILL);
  allreduce(world);
}
static void ended(void) {
  last_call();
  signal(SIGUSR1, SIG_IGN);
  if (self == culprit) rest(seconds), exit(3);
  allreduce(world);
}
static void communicators(void) {
  MPI_Comm first = duplicate(), second = duplicate();
  self == culprit ? barrier(second) : allreduce(first);
}
static void wrong_tag(void) {
  if (self == next) transmit(culprit, tag);
  if (self == culprit) receive(next, other_tag);
  barrier(world);
}
static void receive_from_next(void) { receive(next, tag); }
static void thread(void) {
  if (!needs_threads()) return;
  if (self == culprit) pthread_join(beside(receive_from_next), NULL);
  barrier(world);
}
static void no_finalize(void) {
  last_call();
  if (self == culprit) pause();
}
static void tests(void) {
  MPI_Request request;
  MPI_Irecv(&sum, 1, MPI_INT, next, tag, world, &request);
  while (self == culprit && !test(&request)) continue;
  barrier(world);
}
static void probes(void) {
  while (self == culprit && !iprobe(next)) continue;
  barrier(world);
}
static void some_tests(void) {
  MPI_Request requests[2];
  int into[2];
  for (int i = 0; i < 2; ++i) MPI_Irecv(into + i, 1, MPI_INT, next, tag + i, world, requests + i);
  while (self == culprit && testsome(requests) == 0) continue;
  barrier(world);
}
/* Row r has the ranks r and r + 16. */
static void one_row(void) {
  MPI_Comm row = split(self % rows);
  last_call();
  if (self == culprit) read_a_pipe();
  allreduce(row);
  barrier(world);
}
static void aborts(void) {
  last_call();
  if (self == culprit) rest(seconds), MPI_Abort(world, 3);
  allreduce(world);
}

/* Jobs that are only slow. */
static void slow_compute(void) {
  if (self == culprit) compute(seconds);
  allreduce(world);
}
static void server(void) {
  if (self != culprit) rest(seconds), transmit(culprit, tag);
  for (int n = 1; self == culprit && n < ranks; ++n) receive(MPI_ANY_SOURCE, tag);
}
static void accepts(void) {
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Comm both = MPI_COMM_NULL;
  if (self == culprit) {
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN), MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    if (MPI_Open_port(MPI_INFO_NULL, port) != MPI_SUCCESS) puts("SKIP: no MPI_Open_port");
    MPI_Send(port, sizeof port, MPI_CHAR, next, tag, world);
    if (*port != '\0') MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &both); /* HERE accept 0 */
  }
  if (self == next) {
    MPI_Recv(port, sizeof port, MPI_CHAR, culprit, tag, world, &status);
    if (*port == '\0') return;
    rest(seconds);
    MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &both);
  }
  if (both != MPI_COMM_NULL) MPI_Comm_disconnect(&both);
}
static void master(void) {
  if (self != culprit) compute(seconds), transmit(culprit, tag);
  for (int n = 1; self == culprit && n < ranks; ++n) {
    while (!iprobe(MPI_ANY_SOURCE)) continue;
    MPI_Recv(&sum, 1, MPI_INT, status.MPI_SOURCE, tag, world, &status);
  }
}
static void root_ahead(void) {
  if (self != culprit) rest(seconds);
  for (int n = 0; n < 3; ++n) bcast(culprit, world);
  allreduce(world);
}
static void leaves_ahead(void) {
  if (self == culprit) rest(seconds);
  reduce(culprit, world);
  MPI_Gather(&value, 1, MPI_INT, malloc(sizeof(int) * (size_t)ranks), 1, MPI_INT, culprit, world);
  reduce(culprit, world);
}
static void pipeline(void) {
  for (int n = 0; n < 2; ++n) {
    if (self == 0) rest(seconds / 2);
    if (self > 0) receive(self - 1, tag);
    if (self < ranks - 1) transmit(self + 1, tag);
  }
}
static void compute_long(void) { compute(seconds); }
/* An error handler leaves the receive for good: next one's receive is answered. */
static jmp_buf behind;
static void jump(MPI_Comm* on, int* code, ...) {
  (void)on, (void)code;
  longjmp(behind, 1);
}
static void jumps(void) {
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(jump, &handler);
  if (self == culprit && setjmp(behind) == 0) {
    MPI_Comm_set_errhandler(world, handler);
    MPI_Recv(&sum, -1, MPI_INT, next, tag, world, &status);
  }
  if (self == culprit) MPI_Barrier(MPI_COMM_SELF), rest(seconds), transmit(next, tag);
  if (self == next) receive(culprit, tag);
}
static void computing_thread(void) {
  if (self == culprit) {
    pthread_t thread = beside(compute_long);
    receive(MPI_ANY_SOURCE, tag);
    pthread_join(thread, NULL);
  }
  if (self == next) rest(seconds), transmit(culprit, tag);
}
static void send_late(void) { rest(seconds), transmit(next, tag); }
/* Next waits for a message of the culprit, which waits in a barrier. */
static void unseen_thread(void) {
  if (!needs_threads()) return;
  pthread_t thread = pthread_self();
  if (self == culprit) thread = beside(send_late);
  if (self == next) receive(culprit, tag);
  barrier(world);
  if (self == culprit) pthread_join(thread, NULL);
}
static void sleeps_between_tests(void) {
  MPI_Request request;
  if (self == culprit) {
    MPI_Irecv(&sum, 1, MPI_INT, next, tag, world, &request);
    while (!test(&request)) rest(0.05);
  }
  if (self == next) rest(seconds), transmit(culprit, tag);
}

/* A file that is slow to write: the libraries of MPI find these functions in place of libc's. */
static volatile int is_slow;
static ssize_t slowly(const char* name, int file, const void* from, size_t bytes, off64_t at) {
  ssize_t (*of_libc)(int, const void*, size_t, off64_t) = (ssize_t(*)(int, const void*, size_t, off64_t))dlsym(RTLD_NEXT, name);
  if (is_slow) is_slow = 0, rest(seconds);
  return of_libc(file, from, bytes, at);
}
ssize_t pwrite(int file, const void* from, size_t bytes, off_t at) { return slowly("pwrite", file, from, bytes, at); }
ssize_t pwrite64(int file, const void* from, size_t bytes, off64_t at) { return slowly("pwrite64", file, from, bytes, at); }
ssize_t write(int file, const void* from, size_t bytes) { return slowly("write", file, from, bytes, 0); }
static void slow_file(void) {
  MPI_File file;
  char name[64];
  snprintf(name, sizeof name, "stands.%d", culprit);
  MPI_File_open(world, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  if (self == culprit) {
    is_slow = 1;
    MPI_File_write(file, &value, 1, MPI_INT, &status); /* HERE write 0 */
    if (is_slow) puts("the file was not slow");
  }
  MPI_File_close(&file);
}

/* Jobs that are as they would be without Marshal. */
static void moves(void) {
  for (const double end = now() + seconds; value; rest(0.05)) {
    int goes_on = now() < end;
    MPI_Bcast(&goes_on, 1, MPI_INT, 0, world);
    if (!goes_on) return;
  }
}
static int code_of(pid_t child) {
  int code = -1;
  return waitpid(child, &code, 0) == child && WIFEXITED(code) ? WEXITSTATUS(code) : -1;
}
extern char** environ;
static void children(void) {
  if (self == culprit) {
    rest(seconds / 2);
    pid_t child = fork();
    if (child == 0) exit(7);
    printf("fork %d\n", code_of(child));
    if ((child = vfork()) == 0) _exit(6);
    printf("vfork %d\n", code_of(child));
    printf("system %d\n", WEXITSTATUS(system("exit 5")));
    char* words[] = {"sh", "-c", "exit 4", NULL};
    if (posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ) == 0) printf("spawn %d\n", code_of(child));
    fflush(stdout);
    if ((child = fork()) == 0) _exit(daemon(1, 1) == 0 ? 3 : 2);
    printf("daemon %d\n", code_of(child));
    rest(seconds / 2);
  }
  barrier(world);
}
/* The launcher sees each rank end. */
static void daemons(void) {
  rest(seconds);
  fflush(stdout);
  if (daemon(1, 1) != 0) abort();
}
static void other_user(void) {
  rest(seconds / 2);
  printf("setuid %d\n", setuid(65534));
  rest(seconds / 2);
}

static const struct {
  const char* name;
  void (*job)(void);
  int is_slow;
} jobs[] = {{"missing", missing, 0}, {"crossed", crossed, 0}, {"different", different, 0}, {"loop", loop, 0}, {"read", in_read, 0},
  {"stopped", stopped, 0}, {"killed", killed, 0}, {"ended", ended, 0}, {"communicators", communicators, 0}, {"wrong_tag", wrong_tag, 0},
  {"thread", thread, 0}, {"no_finalize", no_finalize, 0}, {"tests", tests, 0}, {"probes", probes, 0}, {"some_tests", some_tests, 0},
  {"one_row", one_row, 0}, {"aborts", aborts, 0}, {"slow_compute", slow_compute, 1}, {"server", server, 1}, {"accepts", accepts, 1},
  {"master", master, 1}, {"root_ahead", root_ahead, 1}, {"leaves_ahead", leaves_ahead, 1}, {"pipeline", pipeline, 1},
  {"jumps", jumps, 1}, {"computing_thread", computing_thread, 1}, {"unseen_thread", unseen_thread, 1}, {"sleeps_between_tests", sleeps_between_tests, 1},
  {"slow_file", slow_file, 1}, {"moves", moves, 1}, {"children", children, 1}, {"daemons", daemons, 1}, {"other_user", other_user, 1}};

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const int has_threads = strcmp(argv[1], "thread") == 0 || strcmp(argv[1], "unseen_thread") == 0;
  int level;
  MPI_Init_thread(&argc, &argv, has_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &level);
  place = atoi(argv[2]), culprit = atoi(argv[3]), seconds = atof(argv[4]);
  MPI_Comm_rank(world, &self);
  MPI_Comm_size(world, &ranks);
  next = (culprit + 1) % ranks;
  for (int n = 0; n <= place; ++n) MPI_Barrier(world);
  for (size_t n = 0; n < sizeof jobs / sizeof *jobs; ++n) {
    if (strcmp(jobs[n].name, argv[1]) != 0) continue;
    jobs[n].job();
    if (jobs[n].is_slow) MPI_Barrier(world);
    if (jobs[n].is_slow && self == 0) puts("done");
  }
  finalize();
  return 0;
}
