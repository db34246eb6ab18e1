// `marshal bench rankmap`: the figures of the rank map papers, reproduced.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/message.h"
#include "tools/bench_rankmap/figures.h"
#include "tools/command_line.h"
#include "tools/commands.h"
#include "tools/figure_table.h"

namespace marshal::tools {

int bench_rankmap(Arguments arguments) {
  bool json = false;
  bool all = false;
  bool mpi = false;
  int rounds = 31;
  // More ranks than cores measure the scheduler, and MPICH, which polls, hardly moves then.
  int ranks = std::max(2, static_cast<int>(std::thread::hardware_concurrency()));
  std::vector<std::string> wanted;
  std::vector<int> probe;
  using Maker = std::function<std::vector<FigureTable>()>;
  const std::vector<std::pair<std::string, Maker>> sections{
      {"claims", [] { return std::vector{published_memory_claims()}; }},
      {"memory", [&] { return memory_tables(all); }},
      {"instructions", [] { return std::vector{instruction_counts()}; }},
      {"misses", [] { return std::vector{cache_misses()}; }},
      {"lookups",
       [&] {
         return std::vector{lookup_costs(rounds), many_communicators(rounds), translation_rates(rounds)};
       }},
      {"generations",
       [&] {
         return std::vector{generations(rounds), latency_per_level(rounds)};
       }},
      {"creation", [&] { return std::vector{creation_costs(rounds)}; }},
      {"groups", [&] { return std::vector{group_operations(rounds)}; }},
      {"translation", [&] { return std::vector{translations(rounds)}; }}};
  std::vector<std::string> names;
  for (const auto& [name, make] : sections) names.push_back(name);
  CommandLine line("marshal bench rankmap",
                   "The figures of the rank map papers beside first-principles models and what Marshal takes");
  line.option("sections", &wanted, "which of them; all of them, and those of --mpi, by default", {.among = names});
  line.flag("--json", json, "print JSON");
  line.flag("--all", all, "every number of processes of the papers' axes");
  line.option("--rounds", &rounds, "measurements to take the median of",
              {.least = 1, .most = 10001, .shows_default = true});
  line.flag("--mpi", mpi, "measure on the hosts instead: the sections groups, translation and creation");
  line.option("-n,--ranks", &ranks, "processes to start for --mpi", {.least = 2, .most = 4096, .shows_default = true});
  // Instruction counting runs this under valgrind: model, processes, calls.
  line.option("--probe", &probe, "", {.hidden = true, .words = 3});
  if (const auto over = line.parse(arguments)) return *over;
  if (!probe.empty()) {
    run_probes(probe[0], probe[1], probe[2]);
    return 0;
  }

  report::Json document = report::Json::object();
  const auto show = [&](const std::vector<FigureTable>& tables) {
    for (const FigureTable& table : tables) {
      if (json) {
        document.add(table.name, table.json());
      } else {
        fmt::print("{}\n", table.text());
        std::fflush(stdout);
      }
    }
  };
  const auto wants = [&](const char* section) {
    return wanted.empty() || std::find(wanted.begin(), wanted.end(), section) != wanted.end();
  };
  if (mpi && !wants("groups") && !wants("translation") && !wants("creation")) {
    say(Level::error, "bench rankmap: --mpi measures the sections groups, translation and creation only");
    return 2;
  }
  for (const std::string& name : wanted.empty() ? names : wanted) {
    const auto section = std::find_if(sections.begin(), sections.end(), [&](const auto& s) { return s.first == name; });
    if (!mpi) show(section->second());
  }
  if (mpi || wanted.empty()) {
    const auto tables = host_tables(ranks, {wants("groups"), wants("translation"), wants("creation")});
    if (!tables) return 1;
    show(*tables);
  }
  if (json) fmt::print("{}\n", report::json_text(document, 2));
  return 0;
}

}  // namespace marshal::tools
