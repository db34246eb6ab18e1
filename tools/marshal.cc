// The `marshal` command: hands on to its subcommands.
#include <fmt/format.h>

#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"
#include "base/nearest_name.h"
#include "tools/commands.h"

namespace marshal::tools {
namespace {

struct Command {
  std::string_view name;
  std::string_view help;
  int (*run)(Arguments);
};

constexpr Command kCommands[] = {
    {"run", "run an MPI program with Marshal in front of it", run_command},
    {"report", "print the report of a run again, merge partial ones", report_command},
    {"map", "what each mapper would do with a grid, without MPI", map_command},
    {"info", "list every setting: default, value now, where it came from", info_command},
    {"bench", "measure what is promised: overhead, and the published figures", bench_command},
    {"tune", "measure this machine once, for the segment sizes of packing", tune_command},
};

void print_help() {
  fmt::print(
      "Usage: marshal COMMAND [ARGUMENTS]\n\nRank maps, reordering and packing in front of unmodified MPI "
      "programs.\n\n");
  for (const Command& command : kCommands) fmt::print("  {:<8} {}\n", command.name, command.help);
  fmt::print("\n`marshal COMMAND --help` tells more, as do marshal-COMMAND(1) and marshal(7).\n");
}

int dispatch(Arguments arguments) {
  if (arguments.size() < 2) {
    print_help();
    return 2;
  }
  const std::string_view wanted = arguments[1];
  if (wanted == "--help" || wanted == "-h" || wanted == "help") {
    print_help();
    return 0;
  }
  if (wanted == "--version" || wanted == "-V") {
    fmt::print("marshal {}\n", MARSHAL_VERSION);
    return 0;
  }
  std::vector<std::string_view> names;
  for (const Command& command : kCommands) {
    if (command.name == wanted) return command.run(arguments.subspan(1));
    names.push_back(command.name);
  }
  const std::string_view nearest = nearest_name(wanted, names);
  say(Level::kError, "no command {}; {}", wanted,
      nearest.empty() ? "`marshal --help` lists them" : fmt::format("did you mean {}?", nearest));
  return 2;
}

}  // namespace

std::string command_names() {
  std::string names;
  for (const Command& command : kCommands) names += (names.empty() ? "" : " ") + std::string(command.name);
  return names;
}

}  // namespace marshal::tools

int main(int count, char** arguments) {
  try {
    return marshal::tools::dispatch({arguments, static_cast<std::size_t>(count)});
  } catch (const std::exception& error) {
    marshal::say(marshal::Level::kError, "{}", error.what());
    return 1;
  }
}
