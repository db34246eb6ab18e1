// The section on the time in MPI: by call, by place, by region, and a bar for each rank.
#include <fmt/format.h>

#include <algorithm>

#include "report/findings.h"
#include "report/html_sections.h"
#include "report/html_table.h"
#include "report/svg_charts.h"
#include "report/units.h"

namespace marshal::report {
namespace {

Cell share_cell(double part, double whole) {
  return whole > 0 ? HtmlTable::number(part / whole, percent_text(part / whole))
                   : HtmlTable::unknown("not measured", {});
}

// Mean and share of all processes, the most, and whose that is.
std::vector<Cell> time_cells(const RankedSpread& time, const Record& record) {
  const TimedRun& run = record.times.run;
  return {HtmlTable::number(real(time.of.sum) / real(run.run_ns.samples),
                            time_text(real(time.of.sum) / real(run.run_ns.samples))),
          share_cell(real(time.of.sum), real(run.run_ns.sum)), seconds(time.of.max), count(time.most_rank)};
}

std::vector<HtmlTable::Column> with_time_columns(std::vector<HtmlTable::Column> columns) {
  columns.push_back({"mean", false, "of all processes, on the thread that began MPI"});
  columns.push_back({"of the run"});
  columns.push_back({"most", false, "of a process"});
  columns.push_back({"rank", false, "that has the most"});
  return columns;
}

std::vector<Cell> joined_cells(std::vector<Cell> first, std::vector<Cell> then) {
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

std::string calls_table(const Record& record) {
  HtmlTable table(with_time_columns({{"call", true}, {"calls", false, "all processes"}}));
  for (const auto& [name, call] : record.calls.heaviest_first([](const CallCount& c) { return c.time_ns.of.sum; }))
    if (call->time_ns.of.sum != 0 && !begins_or_ends_mpi(*name))
      table.add(joined_cells({HtmlTable::text(*name), count(call->calls)}, time_cells(call->time_ns, record)));
  return table.html();
}

std::string places_table(const Record& record) {
  HtmlTable table(with_time_columns({{"call", true}, {"at", true}, {"on the communicator", true}, {"calls"}}));
  for (const auto& [key, place] :
       record.times.places.heaviest_first([](const PlaceTime& p) { return p.time_ns.of.sum; })) {
    if (place->time_ns.of.sum == 0) continue;
    std::string communicator = key->communicator.call.empty() ? "none" : key->communicator.call;
    if (!key->communicator.frames.empty())
      communicator += " at " + name_or_place(place->communicator_symbol, key->communicator);
    table.add(joined_cells(
        {HtmlTable::text(key->site.call.empty() ? "other places" : key->site.call),
         HtmlTable::text(where(place->symbol, key->site)), HtmlTable::text(communicator), count(place->calls)},
        time_cells(place->time_ns, record)));
  }
  return table.html();
}

std::string regions_table(const Record& record) {
  HtmlTable table({{"region", true},
                   {"entries", false, "all processes"},
                   {"mean", false, "of all processes"},
                   {"of the run"},
                   {"in MPI", false, "of the region"},
                   {"load balance"},
                   {"communication"}});
  for (const auto& [name, region] :
       record.times.regions.heaviest_first([](const RegionTime& r) { return r.run.run_ns.sum; })) {
    const TimedRun& run = region->run;
    table.add(
        {HtmlTable::text(*name), count(region->entries),
         HtmlTable::number(run.run_ns.mean(), time_text(run.run_ns.mean())),
         share_cell(real(run.run_ns.sum), real(record.times.run.run_ns.sum)),
         share_cell(real(run.mpi_ns.of.sum), real(run.run_ns.sum)),
         HtmlTable::number(run.load_balance(), fmt::format("{:.2f}", run.load_balance())),
         HtmlTable::number(run.communication_efficiency(), fmt::format("{:.2f}", run.communication_efficiency()))});
  }
  return table.empty() ? "" : "<h3>Regions</h3>\n" + table.html();
}

std::string rank_bars(const Record& record) {
  const Times& times = record.times;
  if (times.bars.size() < 2 || times.run.run_ns.max == 0) return {};
  std::vector<RankBar> bars;
  for (const auto& [number, mpi] : times.bars)
    bars.push_back({number, mpi.mean() / real(times.run.run_ns.max), real(mpi.max) / real(times.run.run_ns.max)});
  const std::uint64_t ranks = Times::ranks_a_bar(record.job.ranks);
  return figure(
      rank_chart(bars, ranks, "Time in MPI by rank"),
      ranks == 1 ? "Part of the run that each rank is in MPI; what is above it is useful."
                 : fmt::format("Part of the run in MPI: a bar is {} ranks, dark their mean, light the most.", ranks));
}

}  // namespace

std::string times_section(const Record& record) {
  const Times& times = record.times;
  std::string out = "<h2>Time</h2>\n";
  if (!times.measured()) return out + "<p>Not measured.</p>\n";
  out += fmt::format(
      "<p>{} of the run is in MPI: parallel efficiency {:.2f}, of load balance {:.2f} and communication {:.2f}.",
      percent_text(times.run.mpi_share()), times.run.parallel_efficiency(), times.run.load_balance(),
      times.run.communication_efficiency());
  if (times.other_threads_ns.sum != 0)
    out += fmt::format(" Other threads are in MPI for {} in a process at most.", time_text(times.other_threads_ns.max));
  if (times.paused_ns.max != 0)
    out += fmt::format(" MPI_Pcontrol left out {} in a process at most.", time_text(times.paused_ns.max));
  for (const char* name : {"MPI_Init", "MPI_Init_thread"})
    if (const CallCount* init = record.calls.find(name); init != nullptr && init->time_ns.of.sum != 0)
      out += fmt::format(" {} takes {} before it.", name, time_text(init->time_ns.of.max));
  out += " Of calls that are many and short one in up to 64 is timed.</p>\n" + rank_bars(record);
  out += "<h3>Calls</h3>\n" + calls_table(record) + regions_table(record);
  return out + "<h3>Places in the program</h3>\n<details><summary>Every place whose calls were timed</summary>\n" +
         places_table(record) + "</details>\n";
}

}  // namespace marshal::report
