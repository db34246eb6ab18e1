// `marshal bench pack`: starts measure.cc's program for each host, one after the other, under Marshal's library, whose
// MPI_Pack is one of the variants. With --counts twice: by the processor's counters, and under callgrind. With --fixed
// by turns with and without Marshal: in one process the host's own calls would pass Marshal's hooks inside the host,
// and profit from what it keeps for them.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "report/json.h"
#include "tools/commands.h"
#include "tools/mpi_program.h"
#include "tools/scratch_directory.h"
#include "tools/timing.h"

namespace marshal::tools {
namespace {

using report::Json;

// Callgrind knows no AVX-512: its program has loops by hand without, and the engine takes other kernels by itself.
bool run_under_callgrind(const ConfiguredHost& host, BenchmarkRun run) {
  const ScratchDirectory scratch;
  const std::string file = scratch.file("callgrind");
  run.program = "marshal-bench-pack-counts";
  run.under = {"valgrind",
               "--quiet",
               "--tool=callgrind",
               "--cache-sim=yes",
               "--collect-atstart=no",
               "--callgrind-out-file=" + file + ".%p"};
  // Valgrind rounds odd sizes of the last level, which virtual machines report, and prints long messages about it.
  if (const long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE); bytes > 0)
    run.under.push_back(fmt::format("--LL={},16,64", std::bit_floor(static_cast<std::uint64_t>(bytes))));
  run.variables.push_back("MARSHAL_BENCH_CALLGRIND_FILE=" + file);
  return run_benchmark(host, run).has_value();
}

struct Cost {
  std::string what;
  std::vector<double> ns[2];  // of each run: the host's, Marshal's
};

void print_costs(const std::vector<Cost>& costs, bool json) {
  Json rows = Json::array();
  if (!json) fmt::print("{:<62} {:>10} {:>10} {:>7}\n", "", "marshal ns", "host ns", "ratio");
  for (const Cost& cost : costs) {
    const double host = median_of(cost.ns[0]), marshal = median_of(cost.ns[1]);
    rows.push_back(
        Json::object({{"what", cost.what}, {"marshal_ns", marshal}, {"host_ns", host}, {"runs", cost.ns[0].size()}}));
    if (!json)
      fmt::print("{:<62} {:>10.1f} {:>10.1f} {:>7.2f}\n", cost.what, marshal, host, host > 0 ? marshal / host : 0);
  }
  if (json) fmt::print("{}\n", report::json_text(Json::object({{"costs", std::move(rows)}}), 2));
}

bool measure_fixed_costs(const ConfiguredHost& host, BenchmarkRun run, int rounds, bool json) {
  std::vector<Cost> costs;
  run.streams = Streams::captured;
  for (int turn = 0; turn < 2 * rounds; ++turn) {
    run.with_marshal = turn % 2 == 1;
    const auto out = run_benchmark(host, run);
    const auto all = out ? report::parse_json(*out) : std::nullopt;
    if (!all) return false;
    for (const Json& cost : (*all)["costs"].elements()) {
      const std::string what = cost["what"].text();
      auto known = std::find_if(costs.begin(), costs.end(), [&](const Cost& other) { return other.what == what; });
      if (known == costs.end()) known = costs.insert(costs.end(), Cost{what, {}});
      known->ns[turn % 2].push_back(cost["ns"].number().value_or(0));
    }
  }
  print_costs(costs, json);
  return true;
}

}  // namespace

int bench_pack(Arguments arguments) {
  BenchmarkRun run{.command = "bench pack",
                   .program = "marshal-bench-pack",
                   .arguments = {arguments.begin() + 1, arguments.end()},
                   .variables = {"MARSHAL_REPORT=none"},
                   .streams = Streams::shown};
  const bool asks_for_help = has_flag(arguments, "--help") || has_flag(arguments, "-h");
  const bool json = has_flag(arguments, "--json"), counts = has_flag(arguments, "--counts") && !asks_for_help;
  const bool fixed = has_flag(arguments, "--fixed") && !asks_for_help;
  const std::string rounds = value_of(arguments, "--rounds");
  // With messages on, Open MPI's own MPI_Pack would run on Marshal's engine, too.
  if (!fixed) run.variables.push_back("MARSHAL_MESSAGES=off");
  const std::vector<ConfiguredHost> hosts = hosts_named(run.command, value_of(arguments, "--mpi"));
  for (const ConfiguredHost& host : hosts) {
    if (!json && !asks_for_help) fmt::print("{}\n", family_name(host.family));
    if (fixed) {
      // The program that is started refuses what is no number.
      if (!measure_fixed_costs(host, run, rounds.empty() ? 9 : std::max(std::atoi(rounds.c_str()), 1), json)) return 1;
      continue;
    }
    if (!(counts && json) && !run_benchmark(host, run)) return 1;
    if (counts && !run_under_callgrind(host, run)) return 1;
    if (asks_for_help) return 0;
  }
  return hosts.empty() ? 2 : 0;
}

}  // namespace marshal::tools
