// `marshal bench overhead`: starts measure.c's program on each host, by turns with and without Marshal, and shows the
// medians.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/message.h"
#include "report/json.h"
#include "tools/command_line.h"
#include "tools/commands.h"
#include "tools/median_of.h"
#include "tools/mpi_program.h"
#include "tools/scratch_directory.h"

namespace marshal::tools {
namespace {

// One figure: the values of all runs. `within`: both were timed in the same process, by MPI_ and PMPI_ names.
struct Figure {
  std::string what, unit;
  int ranks = 0;
  bool within = false;
  std::vector<double> host, marshal;
};

// The part of the program that a figure belongs to is timed within one process, or by runs that differ in the preload.
bool timed_within(const std::string& part) { return part == "calls" || part == "sends" || part == "creation"; }

class Overhead {
 public:
  Overhead(const ConfiguredHost& host, int ranks, int rounds) : host_(host), ranks_(ranks), rounds_(rounds) {}

  // False, with a line on stderr, when a run failed.
  bool measure() {
    const auto installed = installed_benchmark("bench overhead", "marshal-overhead", host_.family);
    if (!installed) return false;
    installed_ = *installed;
    if (!run("calls", 1, true) || !run("memory", ranks_, false)) return false;
    for (int round = 0; round < rounds_; ++round)
      if (!run("sends", 1, true) || !run("sends", 1, true, {"MARSHAL_TRAFFIC=off"})) return false;
    for (int round = 0; round < rounds_; ++round)
      if (!run("creation", ranks_, true) || !run("messages", 2, false) || !run("messages", 2, true) ||
          !run("none", ranks_, false) || !run("none", ranks_, true))
        return false;
    return true;
  }

  const ConfiguredHost& host() const { return host_; }
  const std::vector<Figure>& figures() const { return figures_; }

 private:
  bool run(const std::string& part, int ranks, bool with_marshal, std::vector<std::string> variables = {}) {
    variables.push_back("MARSHAL_REPORT=json");
    variables.push_back("MARSHAL_REPORT_FILE=" + reports_.file("%j"));
    const std::vector<std::string> preload(with_marshal ? 1 : 0, installed_.library);
    const CommandOutput output =
        run_captured(launch_command(host_, ranks, variables, preload, {installed_.program, part}), true);
    if (output.status != 0) {
      say(Level::error, "bench overhead: {} ended with status {}", installed_.program, output.status);
      return false;
    }
    std::istringstream lines(output.out);
    for (std::string line; std::getline(lines, line);) {
      const report::Json value = report::parse_json(line).value_or(report::Json());
      const std::string what = value["what"].text();
      if (what.empty()) continue;
      const bool life = what == "MPI_Init" || what == "MPI_Finalize";
      if (life != (part == "none")) continue;
      Figure& figure = figure_of(what, value["unit"].text(), ranks);
      figure.within = timed_within(part);
      if (figure.within || !with_marshal) figure.host.push_back(value["host"].number().value_or(0));
      if (with_marshal) figure.marshal.push_back(value["marshal"].number().value_or(0));
    }
    return true;
  }

  Figure& figure_of(const std::string& what, const std::string& unit, int ranks) {
    for (Figure& figure : figures_)
      if (figure.what == what && figure.ranks == ranks) return figure;
    figures_.push_back({what, unit, ranks, false, {}, {}});
    return figures_.back();
  }

  ConfiguredHost host_;
  int ranks_, rounds_;
  InstalledBenchmark installed_;
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
  for (const ConfiguredHost& host : configured_hosts()) {
    if (!mpi.empty() && mpi != family_tag(host.family)) continue;
    Overhead overhead(host, ranks, rounds);
    if (!overhead.measure()) return 1;
    if (json)
      all.push_back(as_json(overhead));
    else
      print_text(overhead);
  }
  if (json) fmt::print("{}\n", report::json_text(all, 2));
  return 0;
}

}  // namespace marshal::tools
