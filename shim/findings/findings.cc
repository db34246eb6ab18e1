#include "findings/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

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

namespace {

// A finding is registered here. Of equal weight, the first comes first; add_communicator_findings looks at what leaks
// have said.
constexpr AddFindings* const in_order[] = {
    add_missing_ranks,          //
    add_spawned,                //
    add_binding_findings,       //
    add_traffic_findings,       //
    add_grid_findings,          //
    add_datatype_findings,      //
    add_message_findings,       //
    add_file_findings,          //
    add_leak_findings,          //
    add_communicator_findings,  //
    add_late_process,           //
    add_time_findings,          //
    add_own_cost,               //
};

std::vector<Weighed> all_findings(const Record& record) {
  std::vector<Weighed> all;
  for (AddFindings* const add : in_order) add(record, all);
  return all;
}

std::vector<Finding> chosen(std::vector<Weighed> all) {
  std::stable_sort(all.begin(), all.end(), [](const Weighed& a, const Weighed& b) {
    return a.finding.verdict != b.finding.verdict ? a.finding.verdict < b.finding.verdict : a.weight > b.weight;
  });
  constexpr std::ptrdiff_t most_of_a_subject = 2;
  std::vector<Finding> chosen;
  for (Weighed& one : all) {
    const auto alike = std::count_if(chosen.begin(), chosen.end(),
                                     [&](const Finding& other) { return other.subject == one.finding.subject; });
    if (alike < most_of_a_subject && chosen.size() < most_findings) chosen.push_back(std::move(one.finding));
  }
  return chosen;
}

// Gains below this part of the run are not worth a line each.
constexpr double small_part = 0.01;

// "At most 3 s to gain, 30 % of the run." A finding that has named its share of the run does not name it again.
std::string most_to_gain(const Finding& finding, double run) {
  const bool has_share = finding.what.find(" of the run") != std::string::npos;
  return fmt::format(" At most {} to gain{}.", seconds_text(finding.most_seconds),
                     has_share ? "" : fmt::format(", {} of the run", percent_text(finding.most_seconds / run)));
}

WhatToDo to_do(std::vector<Weighed> all, const Record& record) {
  WhatToDo what;
  const double run = mean_seconds(run_ns(record), record);
  std::vector<Weighed> large;
  std::string small;
  for (Weighed& one : all) {
    if (one.finding.verdict != Finding::Verdict::act) continue;
    if (run <= 0) one.finding.most_seconds = -1;
    const double seconds = one.finding.most_seconds = std::min(one.finding.most_seconds, run);
    if (seconds < 0 || seconds >= small_part * run)
      large.push_back(std::move(one));
    else if (small.find(one.finding.subject) == std::string::npos)
      small += fmt::format("{}{} ({})", small.empty() ? "" : ", ", one.finding.subject, percent_text(seconds / run));
  }
  const auto seconds_of = [&](const Weighed& one) {
    return one.finding.most_seconds < 0 ? one.weight * run : one.finding.most_seconds;
  };
  std::stable_sort(large.begin(), large.end(),
                   [&](const Weighed& a, const Weighed& b) { return seconds_of(a) > seconds_of(b); });
  std::string more;
  for (Weighed& one : large) {
    if (what.findings.size() == WhatToDo::most) {
      more += fmt::format("{}{} ({})", more.empty() ? "" : ", ", one.finding.subject,
                          percent_text(run > 0 ? seconds_of(one) / run : one.weight));
      continue;
    }
    if (one.finding.most_seconds >= 0) one.finding.what += most_to_gain(one.finding, run);
    what.findings.push_back(std::move(one.finding));
  }
  if (!more.empty()) what.rest = fmt::format("More, see the details: {}.", more);
  if (!small.empty())
    what.rest += fmt::format("{}Less than 1 % of the run each, at most: {}.", more.empty() ? "" : " ", small);
  else if (what.findings.empty())
    what.rest = "Nothing known.";
  return what;
}

}  // namespace

bool may_gain_by_order(const Record& record) {
  if (record.traffic.between_nodes.in_force == 0) return false;
  const std::optional<double> most = most_gain_of_an_order(record);
  return !most || *most >= small_part * mean_seconds(run_ns(record), record);
}

std::vector<Finding> findings(const Record& record) { return chosen(all_findings(record)); }
WhatToDo what_to_do(const Record& record) { return to_do(all_findings(record), record); }

BothFindings both_findings(const Record& record) {
  std::vector<Weighed> all = all_findings(record);
  WhatToDo what = to_do(all, record);
  return {chosen(std::move(all)), std::move(what)};
}

}  // namespace marshal::report
