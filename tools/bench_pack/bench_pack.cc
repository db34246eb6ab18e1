// `marshal bench pack`: starts measure.cc's program for each host, one after the other.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"
#include "tools/commands.h"
#include "tools/mpi_program.h"
#include "tools/program_mpi.h"

namespace marshal::tools {

int bench_pack(Arguments arguments) {
  std::string only;
  std::vector<std::string> passed_on;
  bool asks_for_help = false, as_json = false;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument.starts_with("--mpi=")) {
      only = argument.substr(6);
    } else if (argument == "--mpi" && i + 1 < arguments.size()) {
      only = arguments[++i];
    } else {
      passed_on.emplace_back(argument);
      asks_for_help = asks_for_help || argument == "--help" || argument == "-h";
      as_json = as_json || argument == "--json";
    }
  }
  if (asks_for_help) fmt::print("--mpi openmpi|mpich   only this host; all else:\n\n");
  bool ran = false;
  for (const ConfiguredHost& host : configured_hosts()) {
    if (!only.empty() && only != family_tag(host.family)) continue;
    const std::string program = mpi_program("marshal-bench-pack", host.family);
    if (program.empty()) {
      say(Level::kError, "bench pack: the benchmark of Marshal for {} is not installed", family_name(host.family));
      return 1;
    }
    std::vector<std::string> command{program};
    command.insert(command.end(), passed_on.begin(), passed_on.end());
    const CommandOutput output = run_captured(launch_command(host, 1, {}, command), true);
    if (!as_json && !asks_for_help) fmt::print("{}\n", family_name(host.family));
    fmt::print("{}", output.out);
    if (output.status != 0 || asks_for_help) return output.status;
    ran = true;
  }
  if (ran) return 0;
  say(Level::kError, "bench pack: Marshal was not built for an MPI named {}", only);
  return 2;
}

}  // namespace marshal::tools
