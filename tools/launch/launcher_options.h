// The options of the launchers that `marshal launch` knows: how many words each takes, and what it says of the nodes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace marshal::tools {

enum class LauncherKind : unsigned char {
  open_mpi,  // mpirun of Open MPI up to 4
  prrte,     // prterun, and mpirun of Open MPI from 5 on
  hydra,     // mpiexec of MPICH
  srun,
};

enum class Meaning : unsigned char {
  plain,
  ranks,     // how many the job has
  per_node,  // ranks of each node in turn
  hostfile,  // names a file of nodes
  hosts,     // names nodes, with commas between them
  binding,   // to cores
  oversubscribe,
  node_count,
  directory,  // that the program runs in
  placement,  // says where ranks go
  parameter,  // an MCA parameter: its name, then its value
  starter,    // hydra's -launcher
  variable,   // hydra's -env: NAME VALUE, or NAME=VALUE
  cpus,       // of a rank, srun's -c
  elsewhere,  // the programs, or how they start, stand in another place than this command
};

struct LauncherOption {
  Meaning meaning;
  int words;  // that follow; -1: none, but a value may follow behind an equals sign
};
// `name` without its dashes. Nothing for an option that the launcher does not have, or that Marshal does not know.
std::optional<LauncherOption> option_of(LauncherKind kind, std::string_view name);

// A variable of the environment by which the user places ranks himself; empty: there is none.
std::string placement_in_environment(LauncherKind kind);
// The same for a parameter in Open MPI's files of the user and the system: "rmaps_base_mapping_policy in FILE".
// `launcher`: its file.
std::string placement_in_files(LauncherKind kind, const std::string& launcher);

// True for an MCA parameter that places or binds ranks.
bool is_placement_parameter(LauncherKind kind, std::string_view name);

}  // namespace marshal::tools
