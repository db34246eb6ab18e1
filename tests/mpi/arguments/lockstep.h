// The processes of a job go through the cases in lockstep, by a file that they have in memory together. It outlives the
// job: where a case ended one, the next job goes on behind that case.
#pragma once

#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

enum { most_processes = 4, no_case = 0 };

// The work of a process at a case.
enum Doing { makes_call, completes_it, waits };
static const char* const doings[] = {"makes the call", "completes it", "waits for others"};

struct Lockstep {
  atomic_int arrivals;  // at meetings, since the job began
  int next, running;    // cases, whose numbers begin with 1
  int doing[most_processes], classes[most_processes];
  pid_t processes[most_processes];
  volatile sig_atomic_t signal;  // that ended the job
};

static struct Lockstep* together;
static int my_place, processes, meetings;
static MPI_Comm for_progress;

// The host goes on with what others wait for.
static void meet_in_memory(void) {
  const int doing = together->doing[my_place];
  together->doing[my_place] = waits;
  atomic_fetch_add(&together->arrivals, 1);
  ++meetings;
  while (atomic_load(&together->arrivals) < meetings * processes) {
    int any;
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, for_progress, &any, MPI_STATUS_IGNORE);
    sched_yield();
  }
  together->doing[my_place] = doing;
}

static int share_class(int class) {
  together->classes[my_place] = class;
  meet_in_memory();
  together->doing[my_place] = completes_it;
  for (int p = 0; p < processes; ++p)
    if (p != my_place && together->classes[p] != MPI_SUCCESS) return 1;
  return 0;
}

// A process that dies, or takes too long, takes the others along: the launcher would be slow at that.
static void end_job(int signal) {
  if (together->signal == 0) together->signal = signal;
  for (int p = 0; p < processes; ++p)
    if (p != my_place) kill(together->processes[p], SIGKILL);
  kill(getpid(), SIGKILL);
}

// By the time of its processor, since the machine may be slow, or after a long time.
static void limit_case(int milliseconds) {
  const struct itimerval limit = {{0, 0}, {milliseconds / 1000, milliseconds % 1000 * 1000}};
  setitimer(ITIMER_PROF, &limit, NULL);
  alarm(10 + (unsigned)milliseconds / 100);
}

// Leaves in `found` where the last job ended.
static void join_lockstep(const char* file, struct Lockstep* found) {
  static const int deadly[] = {SIGPROF, SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
  const int opened = open(file, O_RDWR | O_CREAT, 0600);
  if (opened < 0 || ftruncate(opened, sizeof *together) != 0) _exit(2);
  together = mmap(NULL, sizeof *together, PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0);
  close(opened);
  PMPI_Comm_rank(MPI_COMM_WORLD, &my_place);
  PMPI_Comm_size(MPI_COMM_WORLD, &processes);
  PMPI_Comm_dup(MPI_COMM_WORLD, &for_progress);
  *found = *together;
  PMPI_Barrier(for_progress);
  if (my_place == 0) *together = (struct Lockstep){.next = found->next, .running = no_case};
  PMPI_Barrier(for_progress);
  together->processes[my_place] = getpid();
  PMPI_Barrier(for_progress);
  for (unsigned k = 0; k < sizeof deadly / sizeof *deadly; ++k) signal(deadly[k], end_job);
}
