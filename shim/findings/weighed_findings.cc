#include "findings/weighed_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "record/units.h"

namespace marshal::report {

double run_ns(const Record& record) {
  return real(record.times.measured() ? record.times.run.run_ns.sum : record.own.wall_ns.sum);
}

double mean_seconds(double ns_of_all, const Record& record) {
  const std::uint64_t processes =
      record.times.measured() ? record.times.run.run_ns.samples : record.own.wall_ns.samples;
  return ns_of_all * 1e-9 / real(std::max<std::uint64_t>(processes, 1));
}

std::optional<double> ns_in_call(const Record& record, const std::string& call) {
  const CallCount* const count = record.calls.find(call);
  if (count == nullptr || count->time_ns.of.samples == 0) return std::nullopt;
  return real(count->time_ns.of.sum) + real(count->other_threads_ns);
}

double creation_ns(const CallSite& site, const CommunicatorSite& made, const Record& record) {
  const double at_most = record.times.measured() ? ns_in_call(record, site.call).value_or(0) : HUGE_VAL;
  return std::min(real(made.creation_ns), at_most);
}

bool is_much_creation(const CallSite& site, const CommunicatorSite& made, const Record& record) {
  constexpr double much = 0.01;
  return made.made.max > 1 && part_of_run(creation_ns(site, made, record), record) >= much;
}

double part_of_run(double ns, const Record& record) {
  return run_ns(record) > 0 ? std::min(1.0, ns / run_ns(record)) : 0;
}

std::string of_the_run(double ns, const Record& record) {
  if (run_ns(record) <= 0 || record.times.paused_ns.sum != 0) return {};
  return fmt::format(", {} of the run", percent_text(part_of_run(ns, record)));
}

std::string at(const std::string& symbol, const CallSite& site) {
  const std::string place = name_or_place(symbol, site);
  return place.empty() ? "" : " at " + place;
}

std::string carried_text(std::uint64_t messages, std::uint64_t bytes, std::string_view kind) {
  return fmt::format("{}{} {} {}", counted(messages, "message"), kind, messages == 1 ? "carries" : "carry",
                     bytes_text(bytes));
}

std::string between_nodes_text(const PlacedBytes& between, const BytesOfNodes& leaving) {
  const PlacedBytes most = busiest(leaving);
  std::string text = fmt::format("Measured: {} between nodes, {} from the busiest", bytes_text(between.in_force),
                                 bytes_text(most.in_force));
  if (between.in_force != between.given || most.in_force != most.given)
    text += fmt::format("; in the order given {}, {}", bytes_text(between.given), bytes_text(most.given));
  return text + ".";
}

}  // namespace marshal::report
