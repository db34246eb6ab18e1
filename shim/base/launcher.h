// Facts that the job's launcher puts into each process's environment, known before MPI. Needs no C++ runtime.
#pragma once

namespace marshal {

// For lines that one process prints for all. True in every process if the launcher does not say which is the first.
bool first_of_job();

// How many processes the launcher started, the variable that says so, and whether this is the first of them. One, and
// null, if no launcher says that it started more.
struct LaunchedProcesses {
  int count;
  const char* variable;
  bool is_first;
};
LaunchedProcesses launched_processes();

}  // namespace marshal
