// The seconds of two runs beside each other.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "report/findings.h"
#include "report/table.h"
#include "report/units.h"
#include "tools/compare.h"

namespace marshal::tools {
namespace {

using report::real;
using report::Record;
using report::Table;

// Mean of a process, in the calls of one name.
double mean_ns(const Record& record, const std::string& call) {
  const report::CallCount* row = record.calls.find(call);
  const std::uint64_t processes = record.times.run.run_ns.samples;
  return row == nullptr || processes == 0 ? 0 : real(row->time_ns.of.sum) / real(processes);
}

void add_row(Table& table, const std::string& what, double before, double after) {
  table.add({what, report::time_text(before), report::time_text(after),
             before > 0 ? fmt::format("{:.2f}", after / before) : "none"});
}

// The calls that take most in one of the runs.
std::vector<std::string> heaviest_calls(const Record& before, const Record& after) {
  constexpr std::size_t most = 8;
  std::set<std::string> names;
  for (const Record* record : {&before, &after})
    record->calls.each([&](const std::string& name, const report::CallCount& call) {
      if (call.time_ns.of.sum != 0 && !report::begins_or_ends_mpi(name)) names.insert(name);
    });
  std::vector<std::string> sorted(names.begin(), names.end());
  const auto weight = [&](const std::string& name) { return std::max(mean_ns(before, name), mean_ns(after, name)); };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const std::string& a, const std::string& b) { return weight(a) > weight(b); });
  sorted.resize(std::min(sorted.size(), most));
  return sorted;
}

}  // namespace

std::string compared_times(const Record& before, const Record& after) {
  Table table({{"Time, mean of a process", Table::Align::left}, {"before"}, {"after"}, {"ratio"}});
  add_row(table, "wall time", before.own.wall_ns.mean(), after.own.wall_ns.mean());
  if (before.times.measured() && after.times.measured()) {
    add_row(table, "outside MPI", before.times.run.useful_ns.of.mean(), after.times.run.useful_ns.of.mean());
    add_row(table, "in MPI", before.times.run.mpi_ns.of.mean(), after.times.run.mpi_ns.of.mean());
    for (const std::string& call : heaviest_calls(before, after))
      add_row(table, "  " + call, mean_ns(before, call), mean_ns(after, call));
  }
  return table.text();
}

}  // namespace marshal::tools
