// A launcher's command line, read as the launcher reads it: where the programs stand, and what it says of the nodes.
// One table has the options of each launcher that `marshal launch` knows.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace marshal::tools {

enum class LauncherKind : unsigned char {
  open_mpi,  // mpirun of Open MPI up to 4
  prrte,     // prterun, and mpirun of Open MPI from 5 on
  hydra,     // mpiexec of MPICH
  srun,
};

struct LaunchedProgram {
  std::size_t word;       // where its words begin
  std::string directory;  // that it runs in; empty: that of the launcher
  bool operator==(const LaunchedProgram&) const = default;
};

struct LauncherCommand {
  LauncherKind kind = LauncherKind::open_mpi;
  std::vector<std::string> words;                               // the whole command, the launcher first
  std::vector<LaunchedProgram> programs;                        // several where ":" stands between
  std::size_t end_of_program = 0;                               // behind the first program's words
  std::string ranks, per_node, node_count, cpus;                // as typed; empty: not given
  std::string hostfile, hosts, binding, starter;                // starter: of processes on other nodes, as ssh
  std::string directory;                                        // of the last program
  std::vector<std::pair<std::size_t, std::size_t>> node_words;  // (first, behind the last) of options that name nodes
  bool oversubscribes = false;
  std::string placement;    // the option by which the user places ranks himself; empty: none
  std::string why_unknown;  // empty: the command is understood
};

// `words` begin with the launcher.
LauncherCommand read_launcher_command(LauncherKind kind, std::vector<std::string> words);

// The kind of a launcher that has the name of one, by what it says of its version, for which it is started. A script is
// not: one that a site put in front of the launcher may pass over options, and start the job. Nothing for others, and
// `why_not` as a phrase.
std::optional<LauncherKind> kind_of_launcher(const std::string& launcher, std::string& why_not);
// By the first lines of `LAUNCHER --version`.
std::optional<LauncherKind> kind_by_version(std::string_view text);

// A variable of the environment by which the user places ranks himself; empty: there is none.
std::string placement_in_environment(LauncherKind kind);
// The same for a parameter in Open MPI's files of the user and the system: "rmaps_base_mapping_policy in FILE".
// `launcher`: its file.
std::string placement_in_files(LauncherKind kind, const std::string& launcher);

}  // namespace marshal::tools
