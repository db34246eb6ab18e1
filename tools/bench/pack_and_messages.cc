// `marshal bench pack` and `marshal bench messages`: start their programs (pack_measure.cc, messages_measure.cc) on
// each host, one after the other, under Marshal's library. The programs take the options, and print.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/message.h"
#include "record/json.h"
#include "tools/command_line.h"
#include "tools/mpi_program.h"
#include "tools/timing.h"

namespace marshal::tools {
namespace {

using report::Json;

// The programs check their arguments. Whether a flag is there:
bool has_flag(Arguments arguments, std::string_view flag) {
  return std::find(arguments.begin(), arguments.end(), flag) != arguments.end();
}

// The value of an option, empty if it is not there.
std::string value_of(Arguments arguments, std::string_view option) {
  std::string value;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i];
    if (word == option && i + 1 < arguments.size()) value = arguments[i + 1];
    if (word.starts_with(option) && word.substr(option.size()).starts_with('=')) value = word.substr(option.size() + 1);
  }
  return value;
}

// Runs it on each host that is asked for, under a line with the host's name and `heading`. Returns the exit status.
int run_on_hosts(Arguments arguments, BenchmarkRun run, const std::string& heading,
                 const std::function<bool(const ConfiguredHost&, BenchmarkRun)>& on_host) {
  run.arguments = {arguments.begin() + 1, arguments.end()};
  run.variables.emplace_back("MARSHAL_REPORT=none");
  run.streams = Streams::shown;
  const bool asks_for_help = has_flag(arguments, "--help") || has_flag(arguments, "-h");
  if (asks_for_help) run.ranks = 1;
  const std::vector<ConfiguredHost> hosts = hosts_named(run.command, value_of(arguments, "--mpi"));
  for (const ConfiguredHost& host : hosts) {
    if (asks_for_help) return run_benchmark(host, run) ? 0 : 1;
    if (!has_flag(arguments, "--json")) fmt::print("{}{}\n", family_name(host.family), heading);
    if (!on_host(host, run)) return 1;
  }
  return hosts.empty() ? 2 : 0;
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

// By turns with and without Marshal: in one process the host's own calls would pass Marshal's hooks inside the host,
// and profit from what it keeps for them.
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
  BenchmarkRun run{.command = "bench pack", .program = "marshal-bench-pack"};
  if (has_flag(arguments, "--fixed")) {
    // The program that is started refuses what is no number.
    const std::string rounds = value_of(arguments, "--rounds");
    const int runs = rounds.empty() ? 9 : std::max(std::atoi(rounds.c_str()), 1);
    return run_on_hosts(arguments, run, "", [&](const ConfiguredHost& host, BenchmarkRun on_host) {
      return measure_fixed_costs(host, std::move(on_host), runs, has_flag(arguments, "--json"));
    });
  }
  // With messages on, Open MPI's own MPI_Pack would run on Marshal's engine, too.
  run.variables = {"MARSHAL_MESSAGES=off"};
  return run_on_hosts(arguments, run, "", [](const ConfiguredHost& host, const BenchmarkRun& on_host) {
    return run_benchmark(host, on_host).has_value();
  });
}

int bench_messages(Arguments arguments) {
  BenchmarkRun run{.command = "bench messages",
                   .program = "marshal-bench-messages",
                   .ranks = 2,
                   .with_marshal = !has_flag(arguments, "--bare")};
  const std::string asked_for = value_of(arguments, "--transport"), transport = asked_for.empty() ? "shm" : asked_for;
  if (transport != "shm" && transport != "tcp") {
    say(Level::error, "bench messages: --transport {}: it is shm or tcp", transport);
    return 2;
  }
  const std::string way = value_of(arguments, "--by");
  if (!way.empty() && way != "pipeline" && way != "calls") {
    say(Level::error, "bench messages: --by {}: it is pipeline or calls", way);
    return 2;
  }
  if (!way.empty()) run.variables.push_back("MARSHAL_MESSAGES=" + way);
  const std::string heading = ", " + transport + (run.with_marshal ? "" : ", without Marshal");
  return run_on_hosts(arguments, run, heading, [&](const ConfiguredHost& host, BenchmarkRun on_host) {
    if (transport == "tcp")
      on_host.variables.emplace_back(host.family == MpiFamily::open_mpi ? "OMPI_MCA_btl=self,tcp" : "UCX_TLS=tcp,self");
    return run_benchmark(host, on_host).has_value();
  });
}

}  // namespace marshal::tools
