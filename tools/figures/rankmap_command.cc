// `marshal bench rankmap`: the figures of the rank map papers, reproduced.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "record/json.h"
#include "tools/bench/frame.h"
#include "tools/figures/figures.h"

namespace marshal::tools {
namespace {

// A row for each host and call, by overhead_measure.c's program of `bench overhead`. False, with a line on stderr, when
// a run failed.
bool add_rows(FigureTable& table, const std::vector<ConfiguredHost>& hosts, int ranks, const std::string& part,
              int decimals) {
  for (const ConfiguredHost& host : hosts) {
    const auto lines = run_benchmark(host, {.command = "bench rankmap",
                                            .program = "marshal-overhead",
                                            .arguments = {part},
                                            .variables = {"MARSHAL_RANKMAP=blocks"},
                                            .ranks = ranks});
    if (!lines) return false;
    for (const report::Json& line : *lines) {
      const double bare = line["host"].number().value_or(0), marshal = line["marshal"].number().value_or(0);
      table.rows.push_back(
          {line["what"].text(), std::string(family_name(host.family)), line["ranks"].whole().value_or(0),
           Cell(bare, decimals), Cell(marshal, decimals),
           part == "groups" ? Cell(bare / marshal, 1) : Cell(fmt::format("{:+.1f} %", 100 * (marshal / bare - 1)))});
    }
  }
  return true;
}

std::vector<FigureTable> group_calls(const std::vector<ConfiguredHost>& hosts, int ranks) {
  FigureTable table;
  table.name = "host-groups";
  table.title = "Group calls on the hosts, ns";
  table.source = "goals: translate_ranks at 128 ranks on Open MPI at least 50 times faster, on MPICH at least equal";
  table.columns = {"call", "MPI", "ranks", "host", "Marshal", "times faster"};
  if (!add_rows(table, hosts, ranks, "groups", 0)) return {};
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
  table.notes = {"With more ranks than cores this measures the scheduler as much: look at the order of size only."};
  if (!add_rows(table, hosts, ranks, "creation", 1)) return {};
  return {table};
}

}  // namespace

int bench_rankmap(Arguments arguments) {
  BenchFrame frame("bench rankmap",
                   "The figures of the rank map papers beside first-principles models and what Marshal takes", 31,
                   10001);
  bool all = false;
  // More ranks than cores measure the scheduler, and MPICH, which polls, hardly moves then.
  int ranks = std::max(2, static_cast<int>(std::thread::hardware_concurrency()));
  std::vector<std::string> wanted;
  std::vector<int> probe;
  using Maker = std::function<std::vector<FigureTable>()>;
  const int& rounds = frame.rounds;
  const std::vector<std::pair<std::string, Maker>> sections{
      {"claims", [] { return std::vector{published_memory_claims()}; }},
      {"memory", [&] { return memory_tables(all); }},
      {"instructions", [] { return std::vector{instruction_counts()}; }},
      {"misses", [] { return std::vector{cache_misses()}; }},
      {"rates", [&] { return std::vector{translation_rates(rounds)}; }},
      {"generations",
       [&] {
         return std::vector{generations(rounds), latency_per_level(rounds)};
       }},
      {"groups", [&] { return group_calls(frame.hosts(), ranks); }},
      {"creation", [&] { return communicator_creation(frame.hosts(), ranks); }}};
  std::vector<std::string> names;
  for (const auto& [name, make] : sections) names.push_back(name);
  frame.line.option("sections", &wanted, "which of them (default: all); groups and creation run on the hosts",
                    {.among = names});
  frame.line.flag("--all", all, "every number of processes of the papers' axes");
  frame.line.option("-n,--ranks", &ranks, "processes to start on the hosts",
                    {.least = 2, .most = 4096, .shows_default = true});
  // Instruction counting runs this under valgrind: model, processes, calls.
  frame.line.option("--probe", &probe, "", {.hidden = true, .words = 3});
  if (const auto over = frame.parse(arguments)) return *over;
  if (!probe.empty()) {
    run_probes(probe[0], probe[1], probe[2]);
    return 0;
  }
  for (const auto& [name, make] : sections) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), name) == wanted.end()) continue;
    const std::vector<FigureTable> tables = make();
    if (tables.empty()) return 1;
    for (const FigureTable& table : tables) frame.show(table);
  }
  return frame.end();
}

}  // namespace marshal::tools
