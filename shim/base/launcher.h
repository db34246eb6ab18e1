// What the job's launcher tells each process in the environment, before MPI can be asked. Needs no C++ runtime.
#pragma once

namespace marshal {

// Whether this is the first process of the job; true where no launcher tells. For lines that one process says for all.
bool first_of_job();

// How many processes the launcher started, the variable that says so, and whether this is the first of them. One and
// null where no launcher tells of more.
struct LaunchedProcesses {
  int count;
  const char* variable;
  bool is_first;
};
LaunchedProcesses launched_processes();

}  // namespace marshal
