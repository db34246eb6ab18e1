#include "report/outcomes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "report/units.h"

namespace marshal::report {
namespace {

// "33 % less", "10 % more", "unchanged".
std::string change(double before, double after) {
  if (before == after) return "unchanged";
  const double part = std::fabs(before - after) / before;
  return fmt::format("{} {}", percent_text(part), after < before ? "less" : "more");
}

std::optional<Outcome> of_grids(const Record& record) {
  double before = 0, after = 0;
  std::uint64_t made = 0, moved = 0, processes = 0;
  record.grids.each([&](const GridKey&, const Grid& grid) {
    const auto count = static_cast<double>(grid.made);
    before += count * grid.before.jsum;
    after += count * grid.after.jsum;
    made += grid.made;
    moved += grid.made * grid.moved_ranks;
    processes += grid.made * grid.processes;
  });
  if (made == 0 || before == 0) return std::nullopt;
  return Outcome{change(before, after), "weight between nodes in grids",
                 fmt::format("Jsum {} -> {}; {} of {} processes moved", number_text(before), number_text(after),
                             count_text(moved), count_text(processes))};
}

std::optional<Outcome> of_communicators(const Record& record) {
  CommunicatorSite all = record.communicators.others();
  record.communicators.each([&](const CallSite&, const CommunicatorSite& site) { all.merge(site); });
  if (all.made.sum == 0 || !all.marshal.available()) return std::nullopt;
  const auto processes = static_cast<double>(std::max<std::uint64_t>(1, record.ranks.count()));
  const auto mean = [&](const Memory& memory) {
    return bytes_text(static_cast<double>(memory.per_process.sum) / processes);
  };
  return Outcome{mean(all.marshal), "rank maps of a process",
                 fmt::format("for {} communicators; the host allocated {}", count_text(all.communicators),
                             all.host.available() ? mean(all.host) : "what could not be measured")};
}

std::optional<Outcome> of_packing(const Record& record) {
  PackWork all;
  record.datatypes.each([&](const LayoutKey&, const DatatypeLayout& layout) {
    if (layout.pack.ns != 0) all.merge(layout.pack);
    if (layout.unpack.ns != 0) all.merge(layout.unpack);
  });
  if (all.ns == 0) return std::nullopt;
  const auto rate = [](std::uint64_t bytes, std::uint64_t ns) {
    return rate_text(static_cast<double>(bytes) * 1e9 / static_cast<double>(ns));
  };
  return Outcome{
      rate(all.bytes, all.ns), "packing and unpacking",
      fmt::format("{} in {} calls; the host where measured: {}", bytes_text(static_cast<double>(all.bytes)),
                  count_text(all.calls), all.host_ns == 0 ? "not at all" : rate(all.host_bytes, all.host_ns))};
}

std::optional<Outcome> of_marshal(const Record& record) {
  const std::optional<double> share = record.own.share();
  if (!share) return std::nullopt;
  return Outcome{
      percent_text(*share), "of the time went to Marshal",
      fmt::format("init {}, calls {}, finalize {} (means of a process)", seconds_text(record.own.init_ns.mean() / 1e9),
                  seconds_text(record.own.inside_ns.mean() / 1e9), seconds_text(record.own.finalize_ns.mean() / 1e9))};
}

}  // namespace

std::vector<Outcome> outcomes(const Record& record) {
  std::vector<Outcome> all;
  for (auto& outcome : {of_grids(record), of_communicators(record), of_packing(record), of_marshal(record)})
    if (outcome) all.push_back(*outcome);
  return all;
}

}  // namespace marshal::report
