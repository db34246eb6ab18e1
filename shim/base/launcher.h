// Facts that the job's launcher puts into each process's environment, known before MPI. Needs no C++ runtime.
#pragma once

namespace marshal {

// For lines that one process prints for all. True in every process if the launcher does not say which is the first.
bool first_of_job();

// True if an MPI launcher or a batch system started this process.
bool has_launcher();

// `marshal run` notes its process here in the first process of a job: the program that it becomes has the same.
inline constexpr const char* run_process_variable = "MARSHAL_RUN_PROCESS";

// How many processes the launcher started, the variable that says so, and whether this is the first of them. One, and
// null, if no launcher says that it started more.
struct LaunchedProcesses {
  int count;
  const char* variable;
  bool is_first;
};
LaunchedProcesses launched_processes();

// The options of the launcher that started this process, as its command has them; null without a launcher that is
// known.
struct BindingOptions {
  const char *own_core = nullptr, *more_cores = nullptr, *none = nullptr;  // the number of cores follows more_cores
};
BindingOptions binding_options();

}  // namespace marshal
