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

}  // namespace marshal
