#include "tools/bench_rankmap/on_hosts.h"

#include <fmt/format.h>

#include <sstream>
#include <string>

#include "base/message.h"
#include "tools/installed_benchmark.h"
#include "tools/mpi_program.h"

namespace marshal::tools {

std::optional<std::vector<FigureTable>> host_tables(int ranks, bool want_groups, bool want_creation) {
  FigureTable groups;
  groups.name = "host-groups";
  groups.title = "Group calls on the hosts, ns";
  groups.source = "goals: translate_ranks at 128 ranks on Open MPI at least 50 times faster, on MPICH at least equal";
  groups.columns = {"call", "MPI", "ranks", "host", "Marshal", "times faster"};
  FigureTable creation;
  creation.name = "host-creation";
  creation.title = "Making communicators on the hosts, us, the slowest rank";
  creation.source =
      "AV-Rankmap section IV-B: 3 to 8 % more; preprint Figs. 15 and 16: 3 to 6 % on Mira, intercommunicators 6 to 8 % "
      "on Blues";
  creation.columns = {"what", "MPI", "ranks", "host", "Marshal", "more"};
  creation.notes = {"With more ranks than cores this measures the scheduler as much: look at the order of size only.",
                    "The exchange row compares two ways to learn a map, not Marshal with the host."};
  for (const ConfiguredHost& host : configured_hosts()) {
    const auto installed = installed_benchmark("bench rankmap", "marshal-rankmap", host.family);
    if (!installed) return std::nullopt;
    std::vector<std::string> command{installed->program};
    if (want_groups) command.emplace_back("groups");
    if (want_creation) command.emplace_back("creation");
    const CommandOutput output =
        run_captured(launch_command(host, ranks, {"MARSHAL_REPORT=none"}, {installed->library}, command), true);
    if (output.status != 0) {
      say(Level::kError, "bench rankmap: {} ended with status {}", installed->program, output.status);
      return std::nullopt;
    }
    std::istringstream lines(output.out);
    for (std::string line; std::getline(lines, line);) {
      const report::Json value = report::parse_json(line).value_or(report::Json());
      if (value["what"].text().empty()) continue;
      const double bare = value["host"].number().value_or(0);
      const double through = value["marshal"].number().value_or(0);
      const bool call = value["part"].text() == "groups";
      std::vector<Cell> row{value["what"].text(), std::string(family_name(host.family)),
                            value["ranks"].whole().value_or(0), Cell(bare, call ? 0 : 1), Cell(through, call ? 0 : 1)};
      const bool exchange = value["part"].text() == "exchange";
      row.push_back(exchange ? Cell("-")
                    : call   ? Cell(bare / through, 1)
                             : Cell(fmt::format("{:+.1f} %", 100 * (through / bare - 1))));
      (call ? groups : creation).rows.push_back(std::move(row));
    }
  }
  std::vector<FigureTable> tables;
  if (want_groups) tables.push_back(std::move(groups));
  if (want_creation) tables.push_back(std::move(creation));
  return tables;
}

}  // namespace marshal::tools
