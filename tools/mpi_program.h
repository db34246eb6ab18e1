// Marshal's own MPI programs, which benchmarks start: one for each host, installed in libexecdir/marshal.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/mpi_family.h"

namespace marshal::tools {

// A host that Marshal was configured for: its family, and the launcher found then.
struct ConfiguredHost {
  MpiFamily family;
  std::string launcher;  // mpiexec
};
std::vector<ConfiguredHost> configured_hosts();

// A file in libexecdir/marshal, or beside the tools in the build tree; empty if it is in neither.
std::string beside_mpi_programs(const std::string& file);
// NAME-openmpi or NAME-mpich, likewise.
std::string mpi_program(const std::string& name, MpiFamily family);

// The files of a benchmark on a host.
struct InstalledBenchmark {
  std::string program, library;  // the library of Marshal to start it under
};
// `program`: as mpi_program has it. Nothing, and a line on stderr that begins with `command`, if one is missing.
std::optional<InstalledBenchmark> installed_benchmark(std::string_view command, const std::string& program,
                                                      MpiFamily family);

// The command that starts `program` on `ranks` ranks with these variables in its environment ("NAME=value") and these
// libraries in front of it. More ranks than cores are allowed, and so is root; processes then yield when idle: Open
// MPI's by a setting, MPICH's by tools/cluster/yield.c, preloaded last.
std::vector<std::string> launch_command(const ConfiguredHost& host, int ranks, std::vector<std::string> variables,
                                        std::vector<std::string> preload, const std::vector<std::string>& program);

struct CommandOutput {
  int status = -1;  // as a shell would give it
  std::string out;  // stdout; stderr is passed on when `loud`
};
// Runs it to its end, without input.
CommandOutput run_captured(const std::vector<std::string>& command, bool loud);
// The same, showing its output as it comes. Returns the status.
int run_shown(const std::vector<std::string>& command);

}  // namespace marshal::tools
