// `marshal bench overhead`: starts measure.c's program on each host, by turns with and without Marshal, and shows the
// medians.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "report/json.h"
#include "tools/command_line.h"
#include "tools/commands.h"
#include "tools/mpi_program.h"
#include "tools/scratch_directory.h"
#include "tools/timing.h"

namespace marshal::tools {
namespace {

// One figure: the values of all runs. `within`: both were timed in the same process, by MPI_ and PMPI_ names.
struct Figure {
  std::string what, unit;
  int ranks = 0;
  bool within = false;
  std::vector<double> host, marshal;
};

// A part of measure.c's program. It is timed within one process, or by runs that differ in the preload.
struct Part {
  const char* name;
  int ranks;
  bool with_marshal, within;
  std::vector<std::string> variables{};
};

class Overhead {
 public:
  explicit Overhead(const ConfiguredHost& host) : host_(host) {}

  // False, with a line on stderr, when a run failed.
  bool measure(int ranks, int rounds) {
    if (!run({"calls", 1, true, true}) || !run({"memory", ranks, false, false})) return false;
    for (int round = 0; round < rounds; ++round)
      if (!run({"sends", 1, true, true}) || !run({"sends", 1, true, true, {"MARSHAL_TRAFFIC=off"}}) ||
          !run({"timed", 1, true, true}) || !run({"timed", 1, true, true, {"MARSHAL_TIME=off"}}))
        return false;
    for (int round = 0; round < rounds; ++round)
      if (!run({"creation", ranks, true, true}) || !run({"messages", 2, false, false}) ||
          !run({"messages", 2, true, false}) || !run({"life", ranks, false, false}) ||
          !run({"life", ranks, true, false}))
        return false;
    return true;
  }

  const ConfiguredHost& host() const { return host_; }
  const std::vector<Figure>& figures() const { return figures_; }

 private:
  bool run(Part part) {
    part.variables.push_back("MARSHAL_REPORT=json");
    part.variables.push_back("MARSHAL_REPORT_FILE=" + reports_.file("%j"));
    const auto out = run_benchmark(host_, {.command = "bench overhead",
                                           .program = "marshal-overhead",
                                           .arguments = {part.name},
                                           .variables = part.variables,
                                           .ranks = part.ranks,
                                           .with_marshal = part.with_marshal});
    if (!out) return false;
    for (const report::Json& value : json_lines(*out)) {
      Figure& figure = figure_of(value["what"].text(), value["unit"].text(), part.ranks);
      figure.within = part.within;
      if (part.within || !part.with_marshal) figure.host.push_back(value["host"].number().value_or(0));
      if (part.with_marshal) figure.marshal.push_back(value["marshal"].number().value_or(0));
    }
    return true;
  }

  Figure& figure_of(const std::string& what, const std::string& unit, int ranks) {
    for (Figure& figure : figures_)
      if (figure.what == what && figure.ranks == ranks) return figure;
    return figures_.emplace_back(Figure{what, unit, ranks, false, {}, {}});
  }

  ConfiguredHost host_;
  ScratchDirectory reports_;
  std::vector<Figure> figures_;
};

void print_text(const Overhead& overhead) {
  fmt::print("{}\n  {:<56} {:>5} {:>11} {:>11} {:>11} {:>7}\n", family_name(overhead.host().family), "what", "ranks",
             "host", "Marshal", "more", "ratio");
  for (const Figure& figure : overhead.figures()) {
    const double host = median_of(figure.host);
    fmt::print("  {:<56} {:>5} {:>11.2f} ", figure.what, figure.ranks, host);
    if (figure.marshal.empty()) {
      fmt::print("{:>11} {:>11} {:>7} {}\n", "", "", "", figure.unit);
      continue;
    }
    const double marshal = median_of(figure.marshal);
    fmt::print("{:>11.2f} {:>11.2f} {:>7.3f} {}\n", marshal, marshal - host, host > 0 ? marshal / host : 0,
               figure.unit);
  }
}

report::Json as_json(const Overhead& overhead) {
  report::Json rows = report::Json::array();
  for (const Figure& figure : overhead.figures()) {
    report::Json row = report::Json::object({{"what", figure.what},
                                             {"unit", figure.unit},
                                             {"ranks", figure.ranks},
                                             {"host", median_of(figure.host)},
                                             {"runs", figure.host.size()}});
    if (!figure.marshal.empty()) row.add("marshal", median_of(figure.marshal));
    row.add("timed",
            figure.within ? "MPI_ and PMPI_ names by turns in one process" : "runs with and without Marshal by turns");
    rows.push_back(std::move(row));
  }
  return report::Json::object({{"mpi", family_name(overhead.host().family)}, {"figures", std::move(rows)}});
}

}  // namespace

int bench_overhead(Arguments arguments) {
  CommandLine line("marshal bench overhead",
                   "Measures what Marshal costs a program: passed-on calls, communicator creation, messages, MPI_Init "
                   "and MPI_Finalize.");
  // More ranks than cores measure the scheduler, too.
  int ranks = std::max(2, static_cast<int>(std::thread::hardware_concurrency())), rounds = 3;
  bool json = false;
  std::string mpi;
  line.option("-n,--ranks", &ranks, "ranks of the larger runs (default: one a core)",
              {.least = 2, .most = 4096, .shows_default = true});
  line.option("--rounds", &rounds, "runs of each kind", {.least = 1, .most = 1000, .shows_default = true});
  line.option("--mpi", &mpi, "openmpi or mpich (default: every one Marshal was built for)",
              {.among = {"openmpi", "mpich"}});
  line.flag("--json", json, "print JSON");
  if (const auto over = line.parse(arguments)) return *over;
  report::Json all = report::Json::array();
  const std::vector<ConfiguredHost> hosts = hosts_named("bench overhead", mpi);
  for (const ConfiguredHost& host : hosts) {
    Overhead overhead(host);
    if (!overhead.measure(ranks, rounds)) return 1;
    if (json)
      all.push_back(as_json(overhead));
    else
      print_text(overhead);
  }
  if (json) fmt::print("{}\n", report::json_text(all, 2));
  return hosts.empty() ? 2 : 0;
}

}  // namespace marshal::tools
