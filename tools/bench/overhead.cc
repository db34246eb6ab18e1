// `marshal bench overhead`: starts overhead_measure.c's program on each host, by turns with and without Marshal, and
// shows the medians.
#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "tools/bench/frame.h"
#include "tools/timing.h"

namespace marshal::tools {
namespace {

// One figure: the values of all runs.
struct Figure {
  std::string what, unit;
  int ranks = 0;
  std::vector<double> host, marshal;
};

// A part of overhead_measure.c's program. It is timed within one process, by MPI_ and PMPI_ names, or by runs that
// differ in the preload.
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

  FigureTable table() const {
    FigureTable table;
    table.name = family_tag(host_.family);
    table.title = family_name(host_.family);
    table.columns = {"what", "ranks", "host", "Marshal", "more", "ratio", "unit"};
    for (const Figure& figure : figures_) {
      const double host = median_of(figure.host), marshal = median_of(figure.marshal);
      std::vector<Cell> row{figure.what, std::int64_t{figure.ranks}, Cell(host, 2)};
      if (figure.marshal.empty())
        row.insert(row.end(), 3, Cell("-"));
      else
        row.insert(row.end(), {Cell(marshal, 2), Cell(marshal - host, 2), Cell(host > 0 ? marshal / host : 0, 3)});
      row.emplace_back(figure.unit);
      table.rows.push_back(std::move(row));
    }
    return table;
  }

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
      if (part.within || !part.with_marshal) figure.host.push_back(value["host"].number().value_or(0));
      if (part.with_marshal) figure.marshal.push_back(value["marshal"].number().value_or(0));
    }
    return true;
  }

  Figure& figure_of(const std::string& what, const std::string& unit, int ranks) {
    for (Figure& figure : figures_)
      if (figure.what == what && figure.ranks == ranks) return figure;
    return figures_.emplace_back(Figure{what, unit, ranks, {}, {}});
  }

  ConfiguredHost host_;
  ScratchDirectory reports_;
  std::vector<Figure> figures_;
};

}  // namespace

int bench_overhead(Arguments arguments) {
  BenchFrame frame("bench overhead",
                   "Measures what Marshal costs a program: passed-on calls, communicator creation, messages, MPI_Init "
                   "and MPI_Finalize.",
                   3, 1000);
  // More ranks than cores measure the scheduler, too.
  int ranks = std::max(2, static_cast<int>(std::thread::hardware_concurrency()));
  frame.line.option("-n,--ranks", &ranks, "ranks of the larger runs (default: one a core)",
                    {.least = 2, .most = 4096, .shows_default = true});
  if (const auto over = frame.parse(arguments)) return *over;
  for (const ConfiguredHost& host : frame.hosts()) {
    Overhead overhead(host);
    if (!overhead.measure(ranks, frame.rounds)) return 1;
    frame.show(overhead.table());
  }
  return frame.end();
}

}  // namespace marshal::tools
