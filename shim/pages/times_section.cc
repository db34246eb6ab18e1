// The section on the time in MPI: by call, by place, by region, and a bar for each rank.
#include <fmt/format.h>

#include <algorithm>

#include "findings/findings.h"
#include "pages/sections.h"
#include "record/units.h"

namespace marshal::report {
namespace {

using Shown = Table::Shown;

std::vector<Table::Column> with_time_columns(std::vector<Table::Column> columns, Shown most) {
  columns.push_back(number_column("mean", "of all processes, on the thread that began MPI", 0, Shown::on_page));
  columns.push_back(number_column("of the run", {}, 1));
  columns.push_back(number_column("most", "of a process", 0, most));
  columns.push_back(number_column("rank", "that has the most"));
  return columns;
}

// Mean and share of all processes, the most, and whose that is.
std::vector<Cell> with_time_cells(std::vector<Cell> cells, const RankedSpread& time, const Record& record) {
  const double sum = real(time.of.sum), run = real(std::max<std::uint64_t>(record.times.run.run_ns.sum, 1));
  cells.push_back(time_cell(sum / real(record.times.run.run_ns.samples)));
  cells.push_back({sum / run, percent_text(sum / run)});
  cells.push_back(time_cell(time.of.max));
  cells.push_back({real(time.most_rank), std::to_string(time.most_rank)});
  return cells;
}

Table calls_table(const Record& record) {
  Table table(with_time_columns({{"call", Align::left}, number_column("calls", "all processes")}, Shown::everywhere));
  for (const auto& [name, call] : record.calls.heaviest_first([](const CallCount& c) { return c.time_ns.of.sum; })) {
    if (call->time_ns.of.sum == 0) break;
    std::vector<Cell> cells = with_time_cells({*name, count_cell(call->calls)}, call->time_ns, record);
    if (begins_or_ends_mpi(*name)) cells[3] = "before it";
    table.add(std::move(cells));
  }
  return table;
}

Table places_table(const Record& record) {
  std::vector<Table::Column> columns = with_time_columns({{"call", Align::left, 24},
                                                          {"at", Align::left, 32},
                                                          {"communicator", Align::left, 24},
                                                          number_column("calls", {}, 0, Shown::on_page)},
                                                         Shown::on_page);
  columns.push_back(number_column("waiting", "of the run, until the last process came", 1));
  columns.push_back(number_column("moving", "of the run, from then on", 1));
  columns.push_back({"last", Align::left, 24, "which process came last in most of the samples, and in how many"});
  Table table(std::move(columns));
  const double run = real(std::max<std::uint64_t>(record.times.run.run_ns.sum, 1));
  for (const auto& [key, place] :
       record.times.places.heaviest_first([](const PlaceTime& p) { return p.time_ns.of.sum; })) {
    if (place->time_ns.of.sum == 0) break;
    Cell communicator = key->communicator.call.empty() ? "none" : key->communicator.call;
    if (!key->communicator.frames.empty()) {
      communicator = name_or_place(place->communicator_symbol, key->communicator);
      communicator.page = key->communicator.call + " at " + communicator.text;
    }
    std::vector<Cell> cells =
        with_time_cells({key->site.call.empty() ? "other places" : key->site.call, place_cell(place->symbol, key->site),
                         std::move(communicator), count_cell(place->calls)},
                        place->time_ns, record);
    const Arrivals& arrivals = place->arrivals;
    for (const std::uint64_t ns : {arrivals.waiting_ns, arrivals.moving_ns})
      cells.push_back(arrivals.are_times_known() ? Cell(real(ns) / run, percent_text(real(ns) / run))
                                                 : Cell(arrivals.samples == 0 ? "" : "not known"));
    cells.push_back(arrivals.last_samples == 0 ? ""
                                               : fmt::format("rank {}: {} of {}", arrivals.last_rank,
                                                             arrivals.last_samples, arrivals.samples));
    table.add(std::move(cells));
  }
  return table;
}

Table regions_table(const Record& record) {
  Table table({{"region", Align::left},
               number_column("entries", "all processes"),
               number_column("mean", "of all processes"),
               number_column("of the run", {}, 1),
               number_column("in MPI", "of the region"),
               {"load balance"},
               {"communication"}});
  const auto share = [](double part, double whole) {
    return whole > 0 ? Cell(part / whole, percent_text(part / whole)) : Cell("not measured");
  };
  const auto efficiency = [](double value) { return Cell(value, fmt::format("{:.2f}", value)); };
  for (const auto& [name, region] :
       record.times.regions.heaviest_first([](const RegionTime& r) { return r.run.run_ns.sum; })) {
    const TimedRun& run = region->run;
    table.add({*name, count_cell(region->entries), time_cell(run.run_ns.mean()),
               share(real(run.run_ns.sum), real(record.times.run.run_ns.sum)),
               share(real(run.mpi_ns.of.sum), real(run.run_ns.sum)), efficiency(run.load_balance()),
               efficiency(run.communication_efficiency())});
  }
  return table;
}

// As high as the part of the run that is in MPI. Where samples tell what of it is waiting, that is the upper part.
std::string rank_bars(const Record& record) {
  const Times& times = record.times;
  if (times.bars.size() < 2 || times.run.run_ns.max == 0) return {};
  const std::uint64_t ranks = Times::ranks_a_bar(record.job.ranks);
  const auto percent = [&](double ns) { return std::clamp(100 * ns / real(times.run.run_ns.max), 0.0, 100.0); };
  const bool are_few = times.bars.size() <= 128;
  std::string bars = fmt::format("<div class=\"ranks\"{}>", are_few ? " style=\"gap:2px\"" : "");
  for (const auto& [number, mpi] : times.bars) {
    const auto waiting = times.waiting.find(number);
    const double whole = times.waiting.empty() ? real(mpi.max) : mpi.mean();
    const double lower =
        waiting == times.waiting.end() ? mpi.mean() : mpi.mean() - real(waiting->second.sum) / real(mpi.samples);
    bars += fmt::format("<b style=\"height:{:.0f}%\"><i style=\"height:{:.0f}%\"></i></b>", percent(whole),
                        whole == 0 ? 0 : 100 * std::max(lower, 0.0) / whole);
  }
  const std::string what = !times.waiting.empty() ? "the upper part of a bar is waiting for the last process in "
                                                    "collective calls, and what is above a bar is useful"
                           : ranks == 1           ? "what is above a bar is useful"
                                                  : "dark is the mean, light the most";
  return figure(bars + "</div>",
                fmt::format("Part of the run in MPI, from 0 to 100 %, of ranks {} to {}: {}{}.",
                            times.bars.begin()->first * ranks, (times.bars.rbegin()->first + 1) * ranks - 1,
                            ranks == 1 ? "" : fmt::format("a bar is {} ranks, ", ranks), what));
}

}  // namespace

std::string waiting_text(const Times& times) {
  double waiting = 0, moving = 0;
  times.places.each([&](const PlaceKey&, const PlaceTime& place) {
    waiting += real(place.arrivals.waiting_ns), moving += real(place.arrivals.moving_ns);
  });
  const auto part = [&](double ns) { return ns / real(times.run.run_ns.sum); };
  constexpr double least = 0.005;
  if (times.run.run_ns.sum == 0 || part(waiting + moving) < least) return {};
  const std::string text =
      fmt::format(", {} waiting, {} moving", percent_text(part(waiting)), percent_text(part(moving)));
  const double rest = part(real(times.run.mpi_ns.of.sum) - waiting - moving);
  return rest < least ? text : fmt::format("{}, {} not told apart", text, percent_text(rest));
}

std::string times_text(const Record& record, std::size_t most_rows) {
  const TimedRun& run = record.times.run;
  if (!record.times.measured()) return "Time in MPI: not measured\n";
  const Table places = places_table(record);
  const std::string cores = too_many_text(record);
  return fmt::format("Time in MPI: {} of the run{}; load balance {:.2f}, communication {:.2f}{}{}\n",
                     percent_text(run.mpi_share()), waiting_text(record.times), run.load_balance(),
                     run.communication_efficiency(), cores.empty() ? "" : "; ", cores) +
         calls_table(record).text(most_rows) + (places.rows() == 0 ? "" : places.text(most_rows));
}

std::string times_page(const Record& record) {
  const Times& times = record.times;
  std::string out = "<h2>Time</h2>\n";
  if (!times.measured()) return out + "<p>Not measured.</p>\n";
  out += fmt::format(
      "<p>{} of the run is in MPI{}: parallel efficiency {:.2f}, of load balance {:.2f} and communication {:.2f}.",
      percent_text(times.run.mpi_share()), waiting_text(times), times.run.parallel_efficiency(),
      times.run.load_balance(), times.run.communication_efficiency());
  if (times.other_threads_ns.sum != 0)
    out += fmt::format(" Other threads are in MPI for {} in a process at most.", time_text(times.other_threads_ns.max));
  if (times.paused_ns.max != 0)
    out += fmt::format(" MPI_Pcontrol left out {} in a process at most.", time_text(times.paused_ns.max));
  out += " Of calls that are many and short one in up to 64 is timed.</p>\n" + rank_bars(record);
  out += "<h3>Calls</h3>\n" + calls_table(record).html();
  if (const Table regions = regions_table(record); regions.rows() != 0) out += "<h3>Regions</h3>\n" + regions.html();
  return out + "<h3>Places in the program</h3>\n<details><summary>Every place whose calls were timed</summary>\n" +
         places_table(record).html() + "</details>\n";
}

}  // namespace marshal::report
