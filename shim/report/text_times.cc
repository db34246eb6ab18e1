// The tables of times in the text of a report.
#include "report/text_times.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/findings.h"
#include "report/text_table.h"
#include "report/units.h"

namespace marshal::report {
namespace {

using Align = TextTable::Align;

std::string part_of(std::uint64_t ns, const Record& record) {
  return percent_text(real(ns) / real(std::max<std::uint64_t>(record.times.run.run_ns.sum, 1)));
}

std::string calls_text(const Record& record, std::size_t most) {
  TextTable table({{"call", Align::left}, {"calls"}, {"of the run"}, {"most"}, {"rank"}});
  for (const auto& [name, call] : record.calls.heaviest_first([](const CallCount& c) { return c.time_ns.of.sum; })) {
    if (call->time_ns.of.sum == 0 || (most != 0 && table.rows() == most)) break;
    table.add({*name, count_text(call->calls),
               begins_or_ends_mpi(*name) ? "before it" : part_of(call->time_ns.of.sum, record),
               time_text(call->time_ns.of.max), std::to_string(call->time_ns.most_rank)});
  }
  return table.text();
}

std::string places_text(const Record& record, std::size_t most) {
  TextTable table({{"call", Align::left, 24},
                   {"at", Align::left, 32},
                   {"communicator", Align::left, 24},
                   {"of the run"},
                   {"rank"}});
  for (const auto& [key, place] :
       record.times.places.heaviest_first([](const PlaceTime& p) { return p.time_ns.of.sum; })) {
    if (place->time_ns.of.sum == 0 || (most != 0 && table.rows() == most)) break;
    table.add({key->site.call.empty() ? "other places" : key->site.call, name_or_place(place->symbol, key->site),
               key->communicator.call.empty()     ? "none"
               : key->communicator.frames.empty() ? key->communicator.call
                                                  : name_or_place(place->communicator_symbol, key->communicator),
               part_of(place->time_ns.of.sum, record), std::to_string(place->time_ns.most_rank)});
  }
  return table.rows() == 0 ? "" : table.text();
}

}  // namespace

std::string times_text(const Record& record, std::size_t rows_of_a_table) {
  const Times& times = record.times;
  if (!times.measured()) return "Time in MPI: not measured\n";
  return fmt::format("Time in MPI: {} of the run; load balance {:.2f}, communication {:.2f}\n",
                     percent_text(times.run.mpi_share()), times.run.load_balance(),
                     times.run.communication_efficiency()) +
         calls_text(record, rows_of_a_table) + places_text(record, rows_of_a_table);
}

}  // namespace marshal::report
