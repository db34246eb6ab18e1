// The `marshal` command: calls its subcommands.
#include <fmt/format.h>

#include <exception>
#include <string_view>

#include "base/message.h"
#include "tools/subcommands.h"

namespace marshal::tools {
namespace {

constexpr Subcommand commands[] = {
    {"run", "run an MPI program with Marshal in front of it", run_command},
    {"report", "print the report of a run again, merge partial ones, compare runs", report_command},
    {"map", "what each mapper would do with a grid, without MPI", map_command},
    {"order", "in what order the ranks should stand on the nodes, as files for launchers", order_command},
    {"profile", "list or forget what runs taught about the grids of programs", profile_command},
    {"info", "list every setting: default, value now, where it came from", info_command},
    {"bench", "measure what Marshal promises: overhead, packing, grids, and the published figures", bench_command},
    {"tune", "measure this machine once, for the segment sizes of packing", tune_command},
};

int marshal_command(Arguments arguments) {
  const std::string_view wanted = arguments.size() > 1 ? arguments[1] : "";
  if (wanted == "--version" || wanted == "-V") {
    fmt::print("marshal {}\n", MARSHAL_VERSION);
    return 0;
  }
  return hand_on({.kind = "command",
                  .caller = "marshal",
                  .intro = "Usage: marshal COMMAND [ARGUMENTS]\n\nRank maps, reordering and packing in front of "
                           "unmodified MPI programs.",
                  .more = "`marshal COMMAND --help` tells more, as do marshal-COMMAND(1) and marshal(7).",
                  .all = commands},
                 arguments);
}

}  // namespace
}  // namespace marshal::tools

int main(int count, char** arguments) {
  try {
    return marshal::tools::marshal_command({arguments, static_cast<std::size_t>(count)});
  } catch (const std::exception& error) {
    marshal::say(marshal::Level::error, "{}", error.what());
    return 1;
  }
}
