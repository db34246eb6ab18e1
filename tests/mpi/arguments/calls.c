// Makes every call of wrappers/entry/calls.table with right and with wrong arguments (cases.h), and writes a line for each
// case: the class of the returned error, the calls of error handlers, and what the call wrote. On the bare host and
// under Marshal the lines must be the same (same_as_bare).
//
// calls HANDLER LOG [EARLIER]: HANDLER is return, count, fatal, or success, which counts and makes a success of each
// error. One process, without a launcher, which sends to
// itself. It begins MPI and forks a worker, which goes through the cases. A case in which the worker dies has a line
// that says so, and the next worker goes on behind it. EARLIER is the log of another run: a case of which a worker died
// there is not made again, since most of them take the whole limit.
#define _GNU_SOURCE
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lines.h"

enum { most_deaths = 1000 };

static int mild, fatal, death_count;
static char deaths[most_deaths][100];  // the cases of which workers died in another run: "name (label):"

// The case that runs, shared with the parent.
struct Progress {
  int row, number;
};
static volatile struct Progress* progress;

// A call that does not return ends the process: by its CPU time, since the machine may be slow, or after a long time.
static void limit_time(void) {
  const struct itimerval cpu = {{0, 0}, {0, 500000}};
  setitimer(ITIMER_PROF, &cpu, NULL);
  alarm(5);
}

// Where handlers make a success of each error, those that Marshal could see without the code: no handle, no such rank,
// no such file.
static int is_wanted(int number, const char* label) {
  if (!fatal && !makes_success) return 1;
  if (number == no_handles || fatal) return number == no_handles;
  return strstr(label, ": h") != NULL || strstr(label, "name: ") != NULL || strstr(label, "dest: n") != NULL;
}

static void read_deaths(const char* file) {
  FILE* const lines = fopen(file, "r");
  char line[4096];
  while (lines != NULL && death_count < most_deaths && fgets(line, sizeof line, lines) != NULL) {
    const char* const end = strstr(line, "): dies of signal");
    if (end != NULL) snprintf(deaths[death_count++], sizeof *deaths, "%.*s", (int)(end - line) + 2, line);
  }
  if (lines != NULL) fclose(lines);
}

static int died_before(const char* name, const char* label) {
  char begin[sizeof *deaths];
  snprintf(begin, sizeof begin, "%s (%s):", name, label);
  for (int i = 0; i < death_count; ++i)
    if (strcmp(begin, deaths[i]) == 0) return 1;
  return 0;
}

static void run_from(int row, int number) {
  for (; row < row_count; ++row, number = 0) {
    struct Case given;
    if (is(rows[row].name, never_made)) continue;
    for (; find_case(&rows[row], number, mild, &given); ++number) {
      if (!is_wanted(number, given.label) || answer_is_chance(&rows[row], given.label)) continue;
      progress->row = row;
      progress->number = number;
      fprintf(log_file, "%s (%s):", rows[row].name, given.label);
      fflush(log_file);
      if (died_before(rows[row].name, given.label)) raise(SIGKILL);  // the next case begins in a new worker, as there
      limit_time();
      run_case(&rows[row], &given);
    }
  }
  progress->row = row_count;
  fflush(log_file);
}

static void go_through_cases(void) {
  while (progress->row < row_count) {
    fflush(NULL);
    // By the system call: handlers of fork(), as Marshal has one, do not run then.
    const pid_t worker = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (worker == 0) {
      run_from(progress->row, progress->number);
      _exit(0);
    }
    int status = 0;
    waitpid(worker, &status, 0);
    if (progress->row >= row_count) break;
    if (WIFSIGNALED(status))
      fprintf(log_file, " dies of signal %d\n", WTERMSIG(status));
    else
      fprintf(log_file, " ends the process with %d\n", WEXITSTATUS(status));
    ++progress->number;
  }
}

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) return 2;
  if (argc == 4) read_deaths(argv[3]);
  fatal = strcmp(argv[1], "fatal") == 0;
  mild = strcmp(argv[1], "count") != 0;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &own.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &own.size);
  log_file = fopen(argv[2], "a");
  progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  choose_handlers(argv[1]);
  make_objects();
  if (getenv("LD_PRELOAD") != NULL && !marshal_knows(own.comm)) return 3;
  warm_up();
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  go_through_cases();
  fprintf(log_file, "all done\n");
  fclose(log_file);
  _exit(0);
}
