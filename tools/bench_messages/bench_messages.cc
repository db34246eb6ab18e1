// `marshal bench messages`: starts measure.cc's program on two ranks of each host, one host after the other, under
// Marshal's library.
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"
#include "tools/commands.h"
#include "tools/mpi_family.h"
#include "tools/mpi_program.h"

namespace marshal::tools {
namespace {

std::vector<std::string> variables_for(std::string_view transport, MpiFamily family) {
  std::vector<std::string> variables{"MARSHAL_REPORT=none"};
  if (transport == "tcp")
    variables.push_back(family == MpiFamily::open_mpi ? "OMPI_MCA_btl=self,tcp" : "UCX_TLS=tcp,self");
  return variables;
}

}  // namespace

int bench_messages(Arguments arguments) {
  std::string only, transport = "shm";
  std::vector<std::string> passed_on;
  bool asks_for_help = false, as_json = false, bare = false;
  // These are for the launcher; the program checks their values.
  const auto take = [&](std::size_t& i, std::string_view name, std::string& value) {
    const std::string_view argument = arguments[i];
    if (argument.starts_with(name) && argument.substr(name.size()).starts_with("="))
      value = argument.substr(name.size() + 1);
    else if (argument == name && i + 1 < arguments.size())
      value = arguments[++i];
    else
      return false;
    return true;
  };
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (take(i, "--mpi", only) || take(i, "--transport", transport)) continue;
    const std::string_view argument = arguments[i];
    if (argument == "--bare") {
      bare = true;
      continue;
    }
    passed_on.emplace_back(argument);
    asks_for_help = asks_for_help || argument == "--help" || argument == "-h";
    as_json = as_json || argument == "--json";
  }
  if (transport != "shm" && transport != "tcp") {
    say(Level::error, "bench messages: --transport {}: it is shm or tcp", transport);
    return 2;
  }
  bool ran = false;
  for (const ConfiguredHost& host : configured_hosts()) {
    if (!only.empty() && only != family_tag(host.family)) continue;
    const auto installed = installed_benchmark("bench messages", "marshal-bench-messages", host.family);
    if (!installed) return 1;
    std::vector<std::string> command{installed->program};
    command.insert(command.end(), passed_on.begin(), passed_on.end());
    if (asks_for_help) return run_shown(command);
    if (!as_json) fmt::print("{}, {}{}\n", family_name(host.family), transport, bare ? ", without Marshal" : "");
    std::fflush(stdout);
    const std::vector<std::string> libraries = bare ? std::vector<std::string>{} : std::vector{installed->library};
    const int status = run_shown(launch_command(host, 2, variables_for(transport, host.family), libraries, command));
    if (status != 0) {
      say(Level::error, "bench messages: {} ended with status {}", installed->program, status);
      return 1;
    }
    ran = true;
  }
  if (ran) return 0;
  say(Level::error, "bench messages: Marshal was not built for an MPI named {}", only);
  return 2;
}

}  // namespace marshal::tools
