#include "tools/bench_pack/fixed_costs_by_turns.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/message.h"
#include "report/json.h"
#include "tools/median_of.h"
#include "tools/mpi_program.h"

namespace marshal::tools {
namespace {

struct Cost {
  std::string what;
  std::vector<double> host, marshal;  // ns, of each run
};

class Costs {
 public:
  // False, with a line on stderr, when the run failed.
  bool run(const ConfiguredHost& host, const InstalledBenchmark& installed, const FixedCostsWanted& wanted,
           bool with_marshal) {
    std::vector<std::string> command{installed.program};
    command.insert(command.end(), wanted.arguments.begin(), wanted.arguments.end());
    const std::vector<std::string> preload(with_marshal ? 1 : 0, installed.library);
    const CommandOutput output = run_captured(launch_command(host, 1, {"MARSHAL_REPORT=none"}, preload, command), true);
    const auto parsed = report::parse_json(output.out);
    if (output.status != 0 || !parsed) {
      say(Level::error, "bench pack: {} ended with status {}", installed.program, output.status);
      return false;
    }
    for (const report::Json& cost : (*parsed)["costs"].elements()) {
      Cost& known = of(cost["what"].text());
      (with_marshal ? known.marshal : known.host).push_back(cost["ns"].number().value_or(0));
    }
    return true;
  }

  const std::vector<Cost>& all() const { return all_; }

 private:
  Cost& of(const std::string& what) {
    for (Cost& cost : all_)
      if (cost.what == what) return cost;
    return all_.emplace_back(Cost{what, {}, {}});
  }

  std::vector<Cost> all_;
};

void print_text(const Costs& costs) {
  fmt::print("{:<62} {:>10} {:>10} {:>7}\n", "", "marshal ns", "host ns", "ratio");
  for (const Cost& cost : costs.all()) {
    const double host = median_of(cost.host), marshal = median_of(cost.marshal);
    fmt::print("{:<62} {:>10.1f} {:>10.1f} {:>7.2f}\n", cost.what, marshal, host, host > 0 ? marshal / host : 0);
  }
}

void print_json(const Costs& costs) {
  report::Json rows = report::Json::array();
  for (const Cost& cost : costs.all())
    rows.push_back(report::Json::object({{"what", cost.what},
                                         {"marshal_ns", median_of(cost.marshal)},
                                         {"host_ns", median_of(cost.host)},
                                         {"runs", cost.host.size()}}));
  fmt::print("{}\n", report::json_text(report::Json::object({{"costs", std::move(rows)}}), 2));
}

}  // namespace

bool bench_fixed_costs(const ConfiguredHost& host, const FixedCostsWanted& wanted) {
  const auto installed = installed_benchmark("bench pack", "marshal-bench-pack", host.family);
  if (!installed) return false;
  Costs costs;
  for (int round = 0; round < std::max(wanted.rounds, 1); ++round)
    for (const bool with_marshal : {false, true})
      if (!costs.run(host, *installed, wanted, with_marshal)) return false;
  if (wanted.json)
    print_json(costs);
  else
    print_text(costs);
  return true;
}

}  // namespace marshal::tools
