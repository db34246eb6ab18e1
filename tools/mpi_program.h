// Marshal's own MPI programs, which benchmarks start: one for each host, installed in libexecdir/marshal.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "record/json.h"
#include "tools/command_line.h"

namespace marshal::tools {

enum class MpiFamily : unsigned char { open_mpi, mpich };

inline const char* family_name(MpiFamily family) { return family == MpiFamily::open_mpi ? "Open MPI" : "MPICH"; }
// In the names of files and in --mpi.
inline const char* family_tag(MpiFamily family) { return family == MpiFamily::open_mpi ? "openmpi" : "mpich"; }

// A host that Marshal was configured for: its family, and the launcher found then.
struct ConfiguredHost {
  MpiFamily family;
  std::string launcher;  // mpiexec
};
std::vector<ConfiguredHost> configured_hosts();
// All of them, or the one of this tag. If there is none, a line on stderr that begins with `command`.
std::vector<ConfiguredHost> hosts_named(std::string_view command, std::string_view tag);

// NAME-openmpi or NAME-mpich in libexecdir/marshal, or beside the tools in the build tree; empty if it is in neither.
std::string mpi_program(const std::string& name, MpiFamily family);

// The command that starts `program` on `ranks` ranks with these variables in its environment ("NAME=value") and these
// libraries in front of it. More ranks than cores are allowed, and so is root; processes then yield when idle: Open
// MPI's by a setting, MPICH's by tools/cluster/yield.c, preloaded last.
std::vector<std::string> launch_command(const ConfiguredHost& host, int ranks, std::vector<std::string> variables,
                                        std::vector<std::string> preload, const std::vector<std::string>& program);

struct CommandOutput {
  int status = -1;  // as a shell would give it
  std::string out;  // stdout
};
enum class Streams { captured, captured_quietly };  // stderr is shown unless quiet
// Runs it to its end, without input.
CommandOutput run_to_end(const std::vector<std::string>& command, Streams streams);

// A run of a benchmark's program.
struct BenchmarkRun {
  std::string_view command;  // whose line on stderr tells what is wrong, as "bench pack"
  std::string program;       // as mpi_program has it
  std::vector<std::string> arguments{}, variables{};
  std::string report_file{};  // as MARSHAL_REPORT_FILE; empty: no report is written
  int ranks = 1;
  bool with_marshal = true;
};
// What it printed: an object in each line; other lines are left out. Nothing, with a line on stderr, when a file is
// missing or the run failed.
std::optional<std::vector<report::Json>> run_benchmark(const ConfiguredHost& host, const BenchmarkRun& run);

// For the files of such programs; its end removes it.
class ScratchDirectory {
 public:
  // Throws std::system_error if none can be made.
  ScratchDirectory() : path_((std::filesystem::temp_directory_path() / "marshal-bench-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) throw std::system_error(errno, std::generic_category(), path_);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace marshal::tools
