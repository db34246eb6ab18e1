#include "tools/mpi_program.h"

#include <fcntl.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "base/message.h"
#include "base/process_facts.h"
#include "base/split_text.h"
#include "tools/preloading.h"

namespace marshal::tools {

namespace fs = std::filesystem;

namespace {

// A file in libexecdir/marshal, or beside the tools in the build tree; empty if it is in neither.
std::string beside_mpi_programs(const std::string& file) {
  std::vector<fs::path> likely;
  if (const fs::path here = fs::path(executable_path()).parent_path(); !here.empty())
    likely = {here, (here / fs::path(MARSHAL_PKGLIBEXECDIR).lexically_relative(MARSHAL_BINDIR)).lexically_normal()};
  likely.emplace_back(MARSHAL_PKGLIBEXECDIR);
  for (const fs::path& directory : likely)
    if (access((directory / file).c_str(), X_OK) == 0) return (directory / file).string();
  return {};
}

}  // namespace

std::vector<ConfiguredHost> configured_hosts() {
  std::vector<ConfiguredHost> hosts;
  for (const ConfiguredHost& host : {ConfiguredHost{MpiFamily::open_mpi, MARSHAL_OPENMPI_MPIEXEC},
                                     ConfiguredHost{MpiFamily::mpich, MARSHAL_MPICH_MPIEXEC}})
    if (!host.launcher.empty()) hosts.push_back(host);
  return hosts;
}

std::vector<ConfiguredHost> hosts_named(std::string_view command, std::string_view tag) {
  std::vector<ConfiguredHost> hosts = configured_hosts();
  std::erase_if(hosts, [&](const ConfiguredHost& host) { return !tag.empty() && tag != family_tag(host.family); });
  if (hosts.empty()) say(Level::error, "{}: Marshal was not built for an MPI named {}", command, tag);
  return hosts;
}

std::string mpi_program(const std::string& name, MpiFamily family) {
  return beside_mpi_programs(name + "-" + family_tag(family));
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

CommandOutput run_to_end(const std::vector<std::string>& command, Streams streams) {
  CommandOutput output;
  std::fflush(stdout);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return output;
  const pid_t child = fork();
  if (child == 0) {
    const int nowhere = open("/dev/null", O_RDWR);
    dup2(nowhere, STDIN_FILENO);
    dup2(ends[1], STDOUT_FILENO);
    if (streams == Streams::captured_quietly) dup2(nowhere, STDERR_FILENO);
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    execvp(words[0], words.data());
    _exit(127);
  }
  close(ends[1]);
  std::array<char, 1 << 14> buffer;
  for (ssize_t n; child > 0 && (n = read(ends[0], buffer.data(), buffer.size())) > 0;)
    output.out.append(buffer.data(), static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  if (child > 0 && waitpid(child, &status, 0) == child)
    output.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return output;
}

std::optional<std::vector<report::Json>> run_benchmark(const ConfiguredHost& host, const BenchmarkRun& run) {
  const std::string program = mpi_program(run.program, host.family), library = preload_library(library_directories());
  if (program.empty() || library.empty()) {
    say(Level::error, "{}: the {} of Marshal for {} is not installed", run.command,
        program.empty() ? "benchmark" : "library", family_name(host.family));
    return std::nullopt;
  }
  std::vector<std::string> words{program}, variables = run.variables, preload;
  words.insert(words.end(), run.arguments.begin(), run.arguments.end());
  variables.push_back(run.report_file.empty() ? "MARSHAL_REPORT=none" : "MARSHAL_REPORT=json");
  if (!run.report_file.empty()) variables.push_back("MARSHAL_REPORT_FILE=" + run.report_file);
  if (run.with_marshal) preload.push_back(library);
  const CommandOutput output =
      run_to_end(launch_command(host, run.ranks, variables, preload, words), Streams::captured);
  if (output.status != 0) {
    say(Level::error, "{}: {} ended with status {}", run.command, program, output.status);
    return std::nullopt;
  }
  std::vector<report::Json> all;
  for (const std::string_view line : split(output.out, '\n'))
    if (auto value = report::parse_json(line); value && value->get<report::Json::Object>() != nullptr)
      all.push_back(std::move(*value));
  return all;
}

}  // namespace marshal::tools
