#include "tools/mpi_program.h"

#include <fcntl.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "base/message.h"
#include "tools/preload_library.h"

namespace marshal::tools {

namespace fs = std::filesystem;

std::vector<ConfiguredHost> configured_hosts() {
  std::vector<ConfiguredHost> hosts;
  for (const ConfiguredHost& host : {ConfiguredHost{MpiFamily::open_mpi, MARSHAL_OPENMPI_MPIEXEC},
                                     ConfiguredHost{MpiFamily::mpich, MARSHAL_MPICH_MPIEXEC}})
    if (!host.launcher.empty()) hosts.push_back(host);
  return hosts;
}

std::string beside_mpi_programs(const std::string& file) {
  std::error_code error;
  const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
  const fs::path moved = (here / fs::path(MARSHAL_PKGLIBEXECDIR).lexically_relative(MARSHAL_BINDIR)).lexically_normal();
  for (const fs::path& directory : {here, moved, fs::path(MARSHAL_PKGLIBEXECDIR)})
    if (access((directory / file).c_str(), X_OK) == 0) return (directory / file).string();
  return {};
}

std::string mpi_program(const std::string& name, MpiFamily family) {
  return beside_mpi_programs(name + "-" + family_tag(family));
}

std::optional<InstalledBenchmark> installed_benchmark(std::string_view command, const std::string& program,
                                                      MpiFamily family) {
  InstalledBenchmark found{mpi_program(program, family), preload_library(library_directories())};
  if (!found.program.empty() && !found.library.empty()) return found;
  say(Level::error, "{}: the {} of Marshal for {} is not installed", command,
      found.program.empty() ? "benchmark" : "library", family_name(family));
  return std::nullopt;
}

std::vector<std::string> launch_command(const ConfiguredHost& host, int ranks, std::vector<std::string> variables,
                                        std::vector<std::string> preload, const std::vector<std::string>& program) {
  std::vector<std::string> command{host.launcher, "-n", std::to_string(ranks)};
  const bool crowded = ranks > static_cast<int>(std::thread::hardware_concurrency());
  if (host.family == MpiFamily::mpich && crowded)
    if (std::string yield = beside_mpi_programs("cluster/yield.so"); !yield.empty())
      preload.push_back(std::move(yield));
  if (!preload.empty()) variables.push_back(fmt::format("LD_PRELOAD={}", fmt::join(preload, ":")));
  if (host.family == MpiFamily::open_mpi) {
    command.insert(command.end(), {"--oversubscribe", "--mca", "mpi_yield_when_idle", crowded ? "1" : "0"});
    if (geteuid() == 0) command.push_back("--allow-run-as-root");
    for (const std::string& variable : variables) command.insert(command.end(), {"-x", variable});
  } else {
    for (const std::string& variable : variables) {
      const auto equals = variable.find('=');
      command.insert(command.end(), {"-genv", variable.substr(0, equals), variable.substr(equals + 1)});
    }
  }
  command.insert(command.end(), program.begin(), program.end());
  return command;
}

namespace {

// Starts a process that runs it, with its output to this descriptor; -1 if that fails.
pid_t start_child(const std::vector<std::string>& command, int out, bool loud) {
  const pid_t child = fork();
  if (child != 0) return child;
  const int nowhere = open("/dev/null", O_RDWR);
  dup2(nowhere, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  if (!loud) dup2(nowhere, STDERR_FILENO);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  _exit(127);
}

int status_of(pid_t child) {
  int status = 0;
  if (child <= 0 || waitpid(child, &status, 0) != child) return CommandOutput{}.status;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int run_shown(const std::vector<std::string>& command) {
  std::fflush(stdout);
  return status_of(start_child(command, STDOUT_FILENO, true));
}

CommandOutput run_captured(const std::vector<std::string>& command, bool loud) {
  CommandOutput output;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return output;
  const pid_t child = start_child(command, ends[1], loud);
  close(ends[1]);
  std::array<char, 1 << 14> buffer;
  for (ssize_t n; child > 0 && (n = read(ends[0], buffer.data(), buffer.size())) > 0;)
    output.out.append(buffer.data(), static_cast<std::size_t>(n));
  close(ends[0]);
  output.status = status_of(child);
  return output;
}

}  // namespace marshal::tools
