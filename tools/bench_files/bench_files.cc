// `marshal bench files`: starts measure.c's program on each host, and shows how much faster reads and writes of memory
// with gaps are where Marshal packs it first.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/message.h"
#include "report/json.h"
#include "tools/command_line.h"
#include "tools/commands.h"
#include "tools/mpi_program.h"

namespace marshal::tools {
namespace {

double seconds(const report::Json& point, const char* way) { return point[way].number().value_or(0); }

void print_files(const ConfiguredHost& host, const std::vector<report::Json>& points) {
  std::int64_t most_bytes = 0;  // of a point: each moves whole pieces
  for (const report::Json& point : points)
    most_bytes = std::max<std::int64_t>(most_bytes, point["bytes"].whole().value_or(0));
  fmt::print("{}: ms of up to {} B a rank; gain: bare to packed; excess: packed to contiguous and one MPI_Pack\n",
             family_name(host.family), most_bytes);
  fmt::print("  {:<12} {:<12} {:<11} {:<6} {:>6} {:>9} {:>9} {:>10} {:>6} {:>6}\n", "folder", "view", "calls", "",
             "piece", "bare", "packed", "contiguous", "gain", "excess");
  for (const report::Json& point : points) {
    const double bare = seconds(point, "bare"), packed = seconds(point, "packed");
    fmt::print("  {:<12} {:<12} {:<11} {:<6} {:>6} {:>9.3f} {:>9.3f} {:>10.3f} {:>6.2f} {:>6.2f}\n",
               point["folder"].text(), point["view"].text(), point["calls"].text(), point["access"].text(),
               point["piece"].whole().value_or(0), bare * 1e3, packed * 1e3, seconds(point, "contiguous") * 1e3,
               bare / packed, packed / seconds(point, "bound"));
  }
}

}  // namespace

int bench_files(Arguments arguments) {
  CommandLine line("marshal bench files",
                   "Measures reads and writes of memory with gaps: by the bare MPI library, packed first, and from "
                   "contiguous memory, by turns.");
  int ranks = 2, rounds = 7, kib = 2048;
  bool json = false;
  std::string mpi;
  std::vector<std::string> folders;
  line.option("-n,--ranks", &ranks, "ranks", {.least = 1, .most = 4096, .shows_default = true});
  line.option("--rounds", &rounds, "times of each way; the median counts",
              {.least = 1, .most = 31, .shows_default = true});
  line.option("--kib", &kib, "KiB that each rank reads or writes in a call",
              {.least = 256, .most = 1048576, .shows_default = true});
  line.option("--folder", &folders, "where the file is (default: /dev/shm, and the current folder)");
  line.option("--mpi", &mpi, "openmpi or mpich (default: every one Marshal was built for)",
              {.among = {"openmpi", "mpich"}});
  line.flag("--json", json, "print JSON");
  if (const auto over = line.parse(arguments)) return *over;
  if (folders.empty()) folders = {"/dev/shm", "."};
  std::vector<std::string> given{std::to_string(rounds), std::to_string(std::int64_t{kib} * 1024)};
  given.insert(given.end(), folders.begin(), folders.end());
  const std::vector<ConfiguredHost> hosts = hosts_named("bench files", mpi);
  report::Json all = report::Json::array();
  for (const ConfiguredHost& host : hosts) {
    const auto out = run_benchmark(host, {.command = "bench files",
                                          .program = "marshal-bench-files",
                                          .arguments = given,
                                          .variables = {"MARSHAL_REPORT=none"},
                                          .ranks = ranks});
    if (!out) return 1;
    const std::vector<report::Json> points = json_lines(*out);
    if (!json) print_files(host, points);
    for (report::Json point : points) {
      point.add("mpi", family_name(host.family));
      all.push_back(std::move(point));
    }
  }
  if (json) fmt::print("{}\n", report::json_text(all, 2));
  return hosts.empty() ? 2 : 0;
}

}  // namespace marshal::tools
