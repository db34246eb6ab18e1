#include "tools/subcommands.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/message.h"
#include "base/nearest_name.h"

namespace marshal::tools {
namespace {

void print_help(const Subcommands& commands) {
  std::size_t width = 0;
  for (const Subcommand& command : commands.all) width = std::max(width, command.name.size());
  fmt::print("{}\n\n", commands.intro);
  for (const Subcommand& command : commands.all) fmt::print("  {:<{}}  {}\n", command.name, width, command.help);
  fmt::print("\n{}\n", commands.more);
}

}  // namespace

int hand_on(const Subcommands& commands, Arguments arguments) {
  const std::string_view wanted = arguments.size() > 1 ? arguments[1] : "";
  if (wanted.empty() || wanted == "--help" || wanted == "-h" || wanted == "help") {
    print_help(commands);
    return wanted.empty() ? 2 : 0;
  }
  std::vector<std::string_view> names;
  for (const Subcommand& command : commands.all) {
    if (command.name == wanted) return command.run(arguments.subspan(1));
    names.push_back(command.name);
  }
  const std::string_view nearest = nearest_name(wanted, names);
  say(Level::error, "no {} {}; {}", commands.kind, wanted,
      nearest.empty() ? fmt::format("`{} --help` lists them", commands.caller)
                      : fmt::format("did you mean {}?", nearest));
  return 2;
}

}  // namespace marshal::tools
