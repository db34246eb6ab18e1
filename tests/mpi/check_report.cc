// check_report FILE RANKS NODES STDERR [COUNTS]: says on stdout all that is wrong with a report. It is to be a valid
// one of a whole job of that many ranks on that many nodes, and to agree with itself. STDERR has its screen, which has
// the size of one. The directory COUNTS has what tests/apps/counting_tool.c counted, with which it is to agree.
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

#include "findings/findings.h"
#include "pages/pages.h"
#include "pages/table.h"

namespace {

using marshal::report::Record;

bool all_right = true;

void expect(bool holds, const std::string& what) {
  if (holds) return;
  fmt::print("report: {}\n", what);
  all_right = false;
}

void check(const Record& record, std::uint64_t ranks, std::uint64_t nodes) {
  expect(record.job.ranks == ranks, fmt::format("{} ranks, not {}", record.job.ranks, ranks));
  expect(record.ranks.count() == ranks, fmt::format("records of {} ranks, not {}", record.ranks.count(), ranks));
  expect(record.partial.count() == 0,
         fmt::format("{} partial records of a job that ended well", record.partial.count()));
  expect(record.job.nodes == nodes, fmt::format("{} nodes, not {}", record.job.nodes, nodes));
  expect(!record.job.program.empty() && !record.job.mpi.empty(), "program or MPI missing");
  expect(record.own.wall_ns.samples == ranks, fmt::format("wall time of {} ranks", record.own.wall_ns.samples));
  record.calls.each([&](const std::string& call, const auto& count) {
    expect(count.calls >= count.processes && count.processes <= ranks,
           fmt::format("{}: {} calls by {} processes", call, count.calls, count.processes));
  });
  record.communicators.each([](const auto& site, const auto& row) {
    expect(row.communicators + row.not_known > 0 || !site.call.starts_with("MPI_Cart"),
           fmt::format("{}: none counted", site.call));
    expect(row.made.sum == row.freed.sum + row.alive.sum && row.communicators <= row.made.sum,
           fmt::format("{}: {} communicators, made {}, freed {}, alive {}", site.call, row.communicators, row.made.sum,
                       row.freed.sum, row.alive.sum));
  });
  record.grids.each([](const auto& grid, const auto& row) {
    expect(row.reason != "the nodes of the processes are not known",
           fmt::format("{}: the nodes of its processes are not known", grid.site.call));
  });
  // A message belongs to one grid at most.
  std::uint64_t in_grids = 0;
  record.grids.each([&](const auto&, const auto& row) { in_grids += row.traffic.bytes; });
  const auto& sent = record.traffic;
  expect(in_grids <= sent.bytes, fmt::format("{} bytes in grids, of {} in all", in_grids, sent.bytes));
  expect(sent.derived_bytes <= sent.bytes + sent.foreign_bytes + sent.unknown_bytes || sent.lost_messages != 0,
         fmt::format("{} bytes of derived datatypes, of {} in all", sent.derived_bytes, sent.bytes));
  record.datatypes.each([](const auto& layout, const auto& row) {
    const auto bound = static_cast<double>(row.touched_bound_bytes_per_s);
    for (const double rate : {row.pack.rate(), row.unpack.rate(), row.pack.host_rate(), row.unpack.host_rate()})
      expect(rate <= bound * (1 + 1e-9) || bound == 0, fmt::format("{}: {} B/s, above its bound", layout.form, rate));
  });
}

std::string contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A terminal shows it whole, and it is what the run printed.
void check_screen(const Record& record, const std::string& path, const std::string& printed) {
  const std::string screen = to_screen(record, std::filesystem::path(path).filename());
  expect(printed.find(screen) != std::string::npos, "the screen is not what the run printed:\n" + screen);
  std::size_t lines = 0;
  for (std::string_view rest = screen; !rest.empty(); ++lines) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() + 1);
    const std::size_t columns = marshal::report::columns_of(line);
    expect(columns <= marshal::report::screen_columns, fmt::format("a line of {} columns: {}", columns, line));
  }
  expect(lines <= marshal::report::screen_lines, fmt::format("a screen of {} lines", lines));
}

// Adds up what the processes' counting tools counted.
std::map<std::string, std::uint64_t> read_counts(const std::string& directory) {
  std::map<std::string, std::uint64_t> counts;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    std::ifstream file(entry.path());
    std::uint64_t count = 0;
    for (std::string name; file >> name >> count;) counts[name] += count;
  }
  return counts;
}

void check_counts(const Record& record, std::map<std::string, std::uint64_t> counts) {
  const auto expect_count = [&](const std::string& name, std::uint64_t reported) {
    expect(reported == counts[name], fmt::format("{} {}, and the counting tool saw {}", reported, name, counts[name]));
  };
  const marshal::report::Traffic& traffic = record.traffic;
  if (traffic.processes != 0) {
    expect_count("messages", traffic.messages + traffic.foreign_messages + traffic.unknown_messages);
    expect_count("bytes", traffic.bytes + traffic.foreign_bytes + traffic.unknown_bytes);
  }
  const marshal::report::DatatypeLayout types = record.datatypes.sum();
  expect_count("packed_bytes", types.pack.bytes);
  expect_count("unpacked_bytes", types.unpack.bytes);
  expect_count("grids", record.grids.sum().made);
  for (const auto& [name, count] : counts) {
    if (!name.starts_with("MPI_")) continue;
    const auto* const row = record.calls.find(name);
    expect_count(name, row == nullptr ? 0 : row->calls);
  }
}

// The report finds no leak where a real program leaves objects to MPI_Finalize, or makes them on purpose.
void expect_no_leak(const Record& record) {
  for (const auto& one : marshal::report::not_freed(record))
    expect(false, fmt::format("{} of {} are said to be a leak", one.alive.max, one.site->call));
  for (const auto& finding : marshal::report::findings(record))
    for (const std::string text : {"A process makes", "commits again and again"})
      expect(finding.what.find(text) == std::string::npos, "a finding of no use: " + finding.what);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5 && argc != 6) {
    fmt::print("usage: check_report FILE RANKS NODES STDERR [COUNTS]\n");
    return 2;
  }
  std::string why_not;
  const auto record = marshal::report::from_json(contents(argv[1]), why_not);
  expect(record.has_value(), why_not);
  if (record) {
    check(*record, std::strtoull(argv[2], nullptr, 10), std::strtoull(argv[3], nullptr, 10));
    check_screen(*record, argv[1], contents(argv[4]));
    if (argc == 6) check_counts(*record, read_counts(argv[5]));
    if (record->job.path.find("/tests/apps/") != std::string::npos) expect_no_leak(*record);
  }
  return all_right ? 0 : 1;
}
