#include <fmt/format.h>

#include <string>

#include "report/json.h"
#include "tools/bench_rankmap/figures.h"

namespace marshal::tools {
namespace {

// A row for each host and call, by measure.c's program of `bench overhead`. False, with a line on stderr, when a run
// failed.
bool add_rows(FigureTable& table, const std::vector<ConfiguredHost>& hosts, int ranks,
              const std::vector<std::string>& parts, int decimals) {
  for (const ConfiguredHost& host : hosts) {
    const auto out = run_benchmark(host, {.command = "bench rankmap",
                                          .program = "marshal-overhead",
                                          .arguments = parts,
                                          .variables = {"MARSHAL_REPORT=none", "MARSHAL_RANKMAP=blocks"},
                                          .ranks = ranks});
    if (!out) return false;
    for (const report::Json& line : json_lines(*out)) {
      const std::string part = line["part"].text();
      const double bare = line["host"].number().value_or(0), marshal = line["marshal"].number().value_or(0);
      table.rows.push_back({line["what"].text(), std::string(family_name(host.family)),
                            line["ranks"].whole().value_or(0), Cell(bare, decimals), Cell(marshal, decimals),
                            part == "exchange" ? Cell("-")
                            : part == "groups" ? Cell(bare / marshal, 1)
                                               : Cell(fmt::format("{:+.1f} %", 100 * (marshal / bare - 1)))});
    }
  }
  return true;
}

}  // namespace

std::vector<FigureTable> group_calls(const std::vector<ConfiguredHost>& hosts, int ranks) {
  FigureTable table;
  table.name = "host-groups";
  table.title = "Group calls on the hosts, ns";
  table.source = "goals: translate_ranks at 128 ranks on Open MPI at least 50 times faster, on MPICH at least equal";
  table.columns = {"call", "MPI", "ranks", "host", "Marshal", "times faster"};
  if (!add_rows(table, hosts, ranks, {"groups"}, 0)) return {};
  return {table};
}

std::vector<FigureTable> communicator_creation(const std::vector<ConfiguredHost>& hosts, int ranks) {
  FigureTable table;
  table.name = "host-creation";
  table.title = "Making communicators on the hosts, us, the slowest rank";
  table.source =
      "AV-Rankmap section IV-B: 3 to 8 % more; preprint Figs. 15 and 16: 3 to 6 % on Mira, intercommunicators 6 to 8 % "
      "on Blues";
  table.columns = {"what", "MPI", "ranks", "host", "Marshal", "more"};
  table.notes = {"With more ranks than cores this measures the scheduler as much: look at the order of size only.",
                 "The exchange row compares two ways to learn a map, not Marshal with the host."};
  if (!add_rows(table, hosts, ranks, {"creation", "exchange"}, 1)) return {};
  return {table};
}

}  // namespace marshal::tools
