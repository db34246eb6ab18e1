// check_report FILE RANKS NODES: is the file a valid report of a whole job of that many ranks on that many nodes, and
// does it agree with itself? Says on stdout all that is wrong.
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "report/record_json.h"

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
  record.datatypes.each([](const auto& layout, const auto& row) {
    const auto bound = static_cast<double>(row.touched_bound_bytes_per_s);
    for (const double rate : {row.pack.rate(), row.unpack.rate(), row.pack.host_rate(), row.unpack.host_rate()})
      expect(rate <= bound * (1 + 1e-9) || bound == 0, fmt::format("{}: {} B/s, above its bound", layout.form, rate));
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print("usage: check_report FILE RANKS NODES\n");
    return 2;
  }
  std::ifstream file(argv[1]);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::string why_not;
  const auto record = marshal::report::from_json(text, why_not);
  expect(record.has_value(), why_not);
  if (record) check(*record, std::strtoull(argv[2], nullptr, 10), std::strtoull(argv[3], nullptr, 10));
  return all_right ? 0 : 1;
}
