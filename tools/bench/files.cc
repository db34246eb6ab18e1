// `marshal bench files`: starts files_measure.c's program on each host, and shows how much faster reads and writes of
// memory with gaps are where Marshal packs it first.
#include <string>
#include <vector>

#include "tools/bench/frame.h"

namespace marshal::tools {

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
  std::vector<std::string> given{std::to_string(frame.rounds), std::to_string(std::int64_t{kib} * 1024)};
  given.insert(given.end(), folders.begin(), folders.end());
  for (const ConfiguredHost& host : frame.hosts()) {
    const auto out = run_benchmark(host, {.command = "bench files",
                                          .program = "marshal-bench-files",
                                          .arguments = given,
                                          .variables = {"MARSHAL_REPORT=none"},
                                          .ranks = ranks});
    if (!out) return 1;
    FigureTable table;
    table.name = family_tag(host.family);
    table.title = std::string(family_name(host.family)) +
                  ": ms; gain: bare to packed; excess: packed to contiguous and one MPI_Pack";
    table.columns = {"folder", "view",   "calls",      "access", "piece", "bytes a rank",
                     "bare",   "packed", "contiguous", "gain",   "excess"};
    for (const report::Json& point : json_lines(*out)) {
      const auto seconds = [&](const char* way) { return point[way].number().value_or(0); };
      const auto whole = [&](const char* what) { return point[what].whole().value_or(0); };
      table.rows.push_back({point["folder"].text(), point["view"].text(), point["calls"].text(), point["access"].text(),
                            whole("piece"), whole("bytes"), Cell(seconds("bare") * 1e3, 3),
                            Cell(seconds("packed") * 1e3, 3), Cell(seconds("contiguous") * 1e3, 3),
                            Cell(seconds("bare") / seconds("packed"), 2),
                            Cell(seconds("packed") / seconds("bound"), 2)});
    }
    frame.show(table);
  }
  return frame.end();
}

}  // namespace marshal::tools
