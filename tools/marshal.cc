// The `marshal` command: calls its subcommands, and those of `marshal bench`.
#include <config.h>
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <string_view>
#include <vector>

#include "base/message.h"
#include "base/nearest_name.h"
#include "tools/command_line.h"

namespace marshal::tools {
namespace {

struct Subcommand {
  std::string_view name;
  std::string_view help;  // one line
  int (*run)(Arguments);
};

struct Subcommands {
  std::string_view kind;    // "benchmark"
  std::string_view caller;  // what is typed in front: "marshal bench"
  std::string_view intro;   // of the help
  std::string_view more;    // its last line
  std::vector<Subcommand> all;
};

// Runs the subcommand that arguments[1] names. --help lists them and returns 0; without an argument they are listed,
// too, and it returns 2. An unknown name gives a line with the nearest one, and 2.
int hand_on(const Subcommands& commands, Arguments arguments) {
  const std::string_view wanted = arguments.size() > 1 ? arguments[1] : "";
  std::vector<std::string_view> names;
  std::size_t width = 0;
  for (const Subcommand& command : commands.all) {
    if (command.name == wanted) return command.run(arguments.subspan(1));
    names.push_back(command.name);
    width = std::max(width, command.name.size());
  }
  if (wanted.empty() || wanted == "--help" || wanted == "-h" || wanted == "help") {
    fmt::print("{}\n\n", commands.intro);
    for (const Subcommand& command : commands.all) fmt::print("  {:<{}}  {}\n", command.name, width, command.help);
    fmt::print("\n{}\n", commands.more);
    return wanted.empty() ? 2 : 0;
  }
  const std::string_view nearest = nearest_name(wanted, names);
  say(Level::error, "no {} {}; {}", commands.kind, wanted,
      nearest.empty() ? fmt::format("`{} --help` lists them", commands.caller)
                      : fmt::format("did you mean {}?", nearest));
  return 2;
}

int bench_command(Arguments arguments) {
  return hand_on(
      {"benchmark",
       "marshal bench",
       "Usage: marshal bench NAME [OPTIONS]\n\nMeasures on this machine, variants interleaved, medians of many.",
       "`marshal bench NAME --help` tells more, as does marshal-bench(1).",
       {{"exchange", "MPI_Alltoall and its kin of small blocks: the host, and one message for each two nodes",
         bench_exchange},
        {"files", "reads and writes of memory with gaps: the host, packed first, contiguous memory", bench_files},
        {"messages", "messages of datatypes: the host, MPI_Pack before the send, Marshal, contiguous ones",
         bench_messages},
        {"overhead", "what Marshal costs: calls, communicator creation, messages, init and finalize", bench_overhead},
        {"pack", "packing of datatypes: the host, Marshal, its strategies, the bound of touched lines", bench_pack},
        {"rankmap", "the figures of the rank map papers, beside models and what Marshal takes", bench_rankmap}}},
      arguments);
}

int marshal_command(Arguments arguments) {
  const std::string_view wanted = arguments.size() > 1 ? arguments[1] : "";
  if (wanted == "--version" || wanted == "-V") {
    fmt::print("marshal {}\n", PACKAGE_VERSION);
    return 0;
  }
  return hand_on(
      {"command",
       "marshal",
       "Usage: marshal COMMAND [ARGUMENTS]\n\nRank maps, reordering and packing in front of unmodified MPI programs.",
       "`marshal COMMAND --help` tells more, as do marshal-COMMAND(1) and marshal(7).",
       {{"run", "run an MPI program with Marshal in front of it", run_command},
        {"launch", "start mpirun, mpiexec or srun, with the ranks placed by what an earlier run sent", launch_command},
        {"report", "print the report of a run again, merge partial ones, compare runs", report_command},
        {"jobs", "add up the reports of many runs: by program, user, host or month", jobs_command},
        {"stands", "tell where the ranks of a job stand that hangs or was killed, and who is missing", stands_command},
        {"map", "what each mapper would do with a grid, without MPI", map_command},
        {"order", "in what order the ranks should stand on the nodes, as files for launchers", order_command},
        {"profile", "list or forget what runs taught about the grids of programs", profile_command},
        {"info", "list every setting: default, value now, where it came from", info_command},
        {"bench", "measure what Marshal promises: overhead, packing, messages, files, and the published figures",
         bench_command},
        {"tune", "measure this machine once, for the segment sizes of packing", tune_command}}},
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
