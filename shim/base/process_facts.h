// Facts that a process knows without MPI: its program, host and job. Linux only, through /proc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace marshal {

struct ProgramFacts {
  std::string path;                    // the executable, or the script when an interpreter runs one
  std::string name;                    // its last part
  std::vector<std::string> arguments;  // the whole command line
};

// Read from /proc; name is "unknown" when that is not possible.
ProgramFacts program_facts();
// The same from a given executable path and command line (an interpreter with a script is named after the script).
ProgramFacts program_facts(const std::string& executable, std::vector<std::string> arguments);

// Of the running program: absolute, or empty where neither /proc nor the kernel's own words tell.
std::string executable_path();

std::string host_name();

// A number for this machine, from its boot id and host name: equal in all processes on it, different elsewhere.
std::uint64_t machine_number();

struct JobFacts {
  // Fit for a file name: letters, digits, . _ -. A task that srun started has its step's number behind a point: 4711.0.
  std::string id;
  std::string
      scheduler;  // "SLURM", "PBS", "LSF", "FLUX", "Open MPI", "PRRTE", "PMIx", "hydra" and "" with a process id
};

// From the batch system's variables, else from the MPI launcher's job name, else the process id. Without a batch system
// the processes of one job may see different ids: rank 0's is the job's.
JobFacts job_facts();
// With `get` in place of getenv (null when unset).
JobFacts job_facts(const char* (*get)(const char*), long process_id);

// The time of day, ISO 8601.
std::string iso_now();

struct Script {
  std::string path;  // of a script; empty: a module, whose file is not known
  std::string name;  // the path's last part, or the module's name; empty: code, a terminal or standard input
};
// `arguments` is the interpreter's whole command line. Where python runs a module that itself runs a program,
// as `python3 -m mpi4py x.py` or `python3 -m cProfile x.py`, that program is the script.
Script script_of(std::string_view interpreter, const std::vector<std::string>& arguments);

// The name of the user whom this process belongs to, for reports over many runs.
//
// getpwuid() is not asked: it loads modules into the program, and these may wait for a directory server at the end of
// each job. /etc/passwd is read instead, which has the system's own accounts and, on many clusters, all. A user who is
// not in it is called by USER or LOGNAME, unless that name belongs to somebody else there, as after su(1). So a user
// may choose the name: it is for statistics, not for accounting.

// Never empty: the user's number if nothing has a name for it. Reads a file; thread safe as getenv() is.
std::string user_name();
// The same of a given user, text of /etc/passwd and `get` in place of getenv (null when unset).
std::string user_name(std::uint64_t user, std::string_view accounts, const char* (*get)(const char*));

}  // namespace marshal
