// `marshal bench exchange`, `files`, `messages`, `overhead` and `pack`: start their programs (*_measure.c,
// *_measure.cc) on each host, and show what these print.
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "base/message.h"
#include "tools/bench/frame.h"
#include "tools/bench/layouts.h"
#include "tools/bench/points.h"
#include "tools/timing.h"

namespace marshal::tools {
namespace {

using report::Json;

double number(const Json& line, std::string_view name) { return line[name].number().value_or(0); }
std::int64_t whole(const Json& line, std::string_view name) { return line[name].whole().value_or(0); }

// Without columns and rows. `more`: behind the name of the host.
FigureTable table_of(const ConfiguredHost& host, std::string_view more = "") {
  FigureTable table;
  table.name = family_tag(host.family);
  table.title = family_name(host.family) + std::string(more);
  return table;
}

// One figure: the values of all runs.
struct Figure {
  std::string what, unit;
  int ranks = 0;
  std::vector<double> host, marshal;
};

class Figures {
 public:
  Figure& of(const std::string& what, const std::string& unit, int ranks) {
    for (Figure& figure : all_)
      if (figure.what == what && figure.ranks == ranks) return figure;
    return all_.emplace_back(Figure{what, unit, ranks, {}, {}});
  }
  FigureTable table(const ConfiguredHost& host) const {
    FigureTable table = table_of(host);
    table.columns = {"what", "ranks", "host", "Marshal", "more", "ratio", "unit"};
    for (const Figure& figure : all_) {
      const double bare = median_of(figure.host), marshal = median_of(figure.marshal);
      table.rows.push_back({figure.what, std::int64_t{figure.ranks}, Cell(bare, 2), Cell(marshal, 2),
                            Cell(marshal - bare, 2), Cell(bare > 0 ? marshal / bare : 0, 3), figure.unit});
    }
    return table;
  }

 private:
  std::vector<Figure> all_;
};

// A part of overhead_measure.c's program. It is timed within one process, by MPI_ and PMPI_ names, or by runs that
// differ in the preload.
struct Part {
  const char* name;
  int ranks;
  bool with_marshal, within;
  std::vector<std::string> variables{};
};

// False, with a line on stderr, when the run failed.
bool add_part(Figures& figures, const ConfiguredHost& host, const Part& part, const ScratchDirectory& reports) {
  const auto lines = run_benchmark(host, {.command = "bench overhead",
                                          .program = "marshal-overhead",
                                          .arguments = {part.name},
                                          .variables = part.variables,
                                          .report_file = reports.file("%j"),
                                          .ranks = part.ranks,
                                          .with_marshal = part.with_marshal});
  if (!lines) return false;
  for (const Json& line : *lines) {
    Figure& figure = figures.of(line["what"].text(), line["unit"].text(), part.ranks);
    if (part.within || !part.with_marshal) figure.host.push_back(number(line, "host"));
    if (part.with_marshal) figure.marshal.push_back(number(line, "marshal"));
  }
  return true;
}

// The layouts that `pack` and `messages` measure.
struct LayoutFrame : BenchFrame {
  std::vector<std::int64_t> sizes;
  std::string only, transport = "shm";
  double slice;

  LayoutFrame(const std::string& name, const std::string& what, std::vector<std::int64_t> packed_bytes,
              std::string pattern, double seconds)
      : BenchFrame(name, what, 9, 10001), sizes(std::move(packed_bytes)), only(std::move(pattern)), slice(seconds) {
    line.option("--sizes", &sizes, "packed bytes", {.positive = true, .shows_default = true, .commas = true});
    line.option("--only", &only, "layouts whose group/name matches this regular expression", {.shows_default = true});
    line.option("--slice", &slice, "seconds of a sample", {.positive = true, .shows_default = true});
  }
  [[nodiscard]] std::optional<int> parse(Arguments arguments) {
    if (const auto over = BenchFrame::parse(arguments)) return over;
    if (bench::Pattern(only).valid()) return std::nullopt;
    say(Level::error, "--only {}: no regular expression", only);
    return 2;
  }
  auto run_on(const ConfiguredHost& host, BenchmarkRun run) const {
    if (transport == "tcp")
      run.variables.emplace_back(host.family == MpiFamily::open_mpi ? "OMPI_MCA_btl=self,tcp" : "UCX_TLS=tcp,self");
    return run_benchmark(host, run);
  }
  // Runs the program on each host; `more`: its own arguments behind those that both have.
  int measure(BenchmarkRun run, const std::string& heading, const std::vector<std::string>& more) {
    run.arguments = {std::to_string(rounds), fmt::format("{}", slice), fmt::format("{}", fmt::join(sizes, ",")), only};
    run.arguments.insert(run.arguments.end(), more.begin(), more.end());
    for (const ConfiguredHost& host : hosts()) {
      const auto lines = run_on(host, run);
      if (!lines) return 1;
      const bench::Points points(*lines);
      show(points.table(family_tag(host.family), family_name(host.family) + heading));
      show(points.means(family_tag(host.family), sizes));
    }
    return end();
  }
};

// By turns with and without Marshal: in one process the host's own calls would pass Marshal's hooks inside the host,
// and profit from what it keeps for them.
int measure_fixed_costs(LayoutFrame& frame, BenchmarkRun run) {
  run.arguments = {"fixed"};
  for (const ConfiguredHost& host : frame.hosts()) {
    Figures figures;
    for (int turn = 0; turn < 2 * frame.rounds; ++turn) {
      run.with_marshal = turn % 2 == 1;
      const auto lines = run_benchmark(host, run);
      if (!lines) return 1;
      for (const Json& line : *lines) {
        Figure& figure = figures.of(line["what"].text(), "ns", 1);
        (run.with_marshal ? figure.marshal : figure.host).push_back(number(line, "ns"));
      }
    }
    frame.show(figures.table(host));
  }
  return frame.end();
}

int measure_brief_types(LayoutFrame& frame, BenchmarkRun run) {
  run.arguments = {"brief"};
  for (const ConfiguredHost& host : frame.hosts()) {
    const auto lines = frame.run_on(host, run);
    if (!lines) return 1;
    FigureTable table = table_of(host, ", CPU time of rank 0");
    table.columns = {"what", "ns"};
    for (const Json& line : *lines) table.rows.push_back({line["what"].text(), Cell(number(line, "ns"), 1)});
    frame.show(table);
  }
  return frame.end();
}

}  // namespace

int bench_exchange(Arguments arguments) {
  BenchFrame frame(
      "bench exchange",
      "Measures MPI_Alltoall, MPI_Alltoallv and MPI_Alltoallw of small blocks: by the bare MPI library, and "
      "by Marshal, which may send one message for each two nodes, by turns.",
      20, 1000);
  int ranks = 8, calls = 20;
  std::string way = "auto", topology;
  std::vector<std::int64_t> sizes{8, 64, 256, 1024, 4096};
  frame.line.option("-n,--ranks", &ranks, "ranks", {.least = 2, .most = 65536, .shows_default = true});
  frame.line.option("--calls", &calls, "calls of a turn", {.least = 1, .most = 100000, .shows_default = true});
  frame.line.option("--sizes", &sizes, "bytes of a block", {.positive = true, .shows_default = true, .commas = true});
  frame.line.option("--exchange", &way, "MARSHAL_EXCHANGE of the runs",
                    {.among = {"auto", "on"}, .shows_default = true});
  frame.line.option("--topology", &topology, "nodes that are made up, as MARSHAL_TOPOLOGY has them");
  if (const auto over = frame.parse(arguments)) return *over;
  BenchmarkRun run{.command = "bench exchange", .program = "marshal-bench-exchange", .ranks = ranks};
  run.arguments = {std::to_string(frame.rounds), std::to_string(calls), fmt::format("{}", fmt::join(sizes, ","))};
  run.variables = {"MARSHAL_EXCHANGE=" + way};
  if (!topology.empty()) run.variables.push_back("MARSHAL_TOPOLOGY=" + topology);
  for (const ConfiguredHost& host : frame.hosts()) {
    const auto lines = run_benchmark(host, run);
    if (!lines) return 1;
    FigureTable table = table_of(host, ": us a call; ratio: the median of the pairs, and its 95 %; run: of all calls");
    table.columns = {"call", "bytes", "bare", "Marshal", "ratio", "from", "to", "run"};
    table.texts = 2;
    for (const Json& line : *lines)
      table.rows.push_back({line["call"].text(), line["size"].text(), Cell(number(line, "bare") * 1e6, 1),
                            Cell(number(line, "marshal") * 1e6, 1), Cell(number(line, "ratio"), 2),
                            Cell(number(line, "low"), 2), Cell(number(line, "high"), 2), Cell(number(line, "run"), 2)});
    frame.show(table);
  }
  return frame.end();
}

int bench_files(Arguments arguments) {
  BenchFrame frame("bench files",
                   "Measures reads and writes of memory with gaps: by the bare MPI library, packed first, and from "
                   "contiguous memory, by turns.",
                   7, 31);
  int ranks = 2, kib = 2048;
  std::vector<std::string> folders;
  frame.line.option("-n,--ranks", &ranks, "ranks", {.least = 1, .most = 4096, .shows_default = true});
  frame.line.option("--kib", &kib, "KiB that each rank reads or writes in a call",
                    {.least = 256, .most = 1048576, .shows_default = true});
  frame.line.option("--folder", &folders, "where the file is (default: /dev/shm, and the current folder)");
  if (const auto over = frame.parse(arguments)) return *over;
  if (folders.empty()) folders = {"/dev/shm", "."};
  BenchmarkRun run{.command = "bench files", .program = "marshal-bench-files", .ranks = ranks};
  run.arguments = {std::to_string(frame.rounds), std::to_string(std::int64_t{kib} * 1024)};
  run.arguments.insert(run.arguments.end(), folders.begin(), folders.end());
  for (const ConfiguredHost& host : frame.hosts()) {
    const auto lines = run_benchmark(host, run);
    if (!lines) return 1;
    FigureTable table = table_of(host, ": ms; gain: bare to packed; excess: packed to contiguous and one MPI_Pack");
    table.columns = {"folder", "view",   "calls",      "access", "piece", "bytes a rank",
                     "bare",   "packed", "contiguous", "gain",   "excess"};
    for (const Json& line : *lines) {
      const double bare = number(line, "bare"), packed = number(line, "packed");
      table.rows.push_back({line["folder"].text(), line["view"].text(), line["calls"].text(), line["access"].text(),
                            whole(line, "piece"), whole(line, "bytes"), Cell(bare * 1e3, 3), Cell(packed * 1e3, 3),
                            Cell(number(line, "contiguous") * 1e3, 3), Cell(bare / packed, 2),
                            Cell(packed / number(line, "bound"), 2)});
    }
    frame.show(table);
  }
  return frame.end();
}

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
  const Part calls{"calls", 1, true, true};
  const Part in_turn[] = {{"sends", 1, true, true},        {"sends", 1, true, true, {"MARSHAL_TRAFFIC=off"}},
                          {"timed", 1, true, true},        {"timed", 1, true, true, {"MARSHAL_TIME=off"}},
                          {"creation", ranks, true, true}, {"messages", 2, false, false},
                          {"messages", 2, true, false},    {"life", ranks, false, false},
                          {"life", ranks, true, false}};
  for (const ConfiguredHost& host : frame.hosts()) {
    const ScratchDirectory reports;
    Figures figures;
    if (!add_part(figures, host, calls, reports)) return 1;
    for (int round = 0; round < frame.rounds; ++round)
      for (const Part& part : in_turn)
        if (!add_part(figures, host, part, reports)) return 1;
    frame.show(figures.table(host));
  }
  return frame.end();
}

int bench_pack(Arguments arguments) {
  LayoutFrame frame("bench pack", "Measures packing of datatypes: the host, Marshal, and its strategies.",
                    {256, 4096, 65536, 1 << 20, 16 << 20}, ".*", 200e-6);
  std::vector<std::int64_t> segments{8, 32, 128, 512};
  bool cold = false, fixed = false;
  frame.line.option("--segments", &segments, "segment sizes of the mars variants",
                    {.shows_default = true, .commas = true});
  frame.line.flag("--cold", cold, "with caches that hold nothing of the data, in every call");
  frame.line.flag("--fixed", fixed, "what types that live briefly cost, instead");
  if (const auto over = frame.parse(arguments)) return *over;
  BenchmarkRun run{.command = "bench pack", .program = "marshal-bench-pack"};
  if (fixed) return measure_fixed_costs(frame, run);
  // With messages on, Open MPI's own MPI_Pack would run on Marshal's engine, too.
  run.variables = {"MARSHAL_MESSAGES=off"};
  return frame.measure(run, "", {fmt::format("{}", fmt::join(segments, ",")), cold ? "cold" : "warm"});
}

int bench_messages(Arguments arguments) {
  LayoutFrame frame("bench messages",
                    "Measures messages of datatypes between two ranks: the host, MPI_Pack before the "
                    "send, Marshal, datatypes of two blocks, and contiguous messages.",
                    {256, 4096, 32768, 262144, 2 << 20}, "ddtbench|face|vector|struct", 300e-6);
  std::string way;
  std::vector<std::string> calls;
  bool bare = false, brief = false;
  frame.line.option("--transport", &frame.transport, "shared memory or TCP",
                    {.among = {"shm", "tcp"}, .shows_default = true});
  frame.line.option("--by", &way,
                    "where Marshal packs: inside the MPI library, or before its calls (default: as found)",
                    {.among = {"pipeline", "calls"}});
  frame.line.flag("--bare", bare, "run without Marshal: then `marshal` is the host, too");
  frame.line.option("--calls", &calls, "of ping-pong, halo, Sendrecv, Alltoallw, Neighbor_alltoallw, Bcast",
                    {.commas = true});
  frame.line.flag("--brief", brief, "what types that are made for one message or one MPI_Put cost, instead");
  if (const auto over = frame.parse(arguments)) return *over;
  BenchmarkRun run{.command = "bench messages", .program = "marshal-bench-messages", .ranks = 2, .with_marshal = !bare};
  if (!way.empty()) run.variables.push_back("MARSHAL_MESSAGES=" + way);
  if (brief) return measure_brief_types(frame, run);
  return frame.measure(run, ", " + frame.transport + (bare ? ", without Marshal" : ""), calls);
}

}  // namespace marshal::tools
