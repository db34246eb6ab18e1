// `marshal bench rankmap`: the figures of the rank map papers, reproduced.
#include <algorithm>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tools/bench/frame.h"
#include "tools/bench_rankmap/figures.h"

namespace marshal::tools {

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
