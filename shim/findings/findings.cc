#include "findings/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "findings/weighed_findings.h"
#include "record/units.h"

namespace marshal::report {
namespace {

// A finding is registered here. Of equal weight, the first comes first; add_communicator_findings looks at what leaks
// have said.
constexpr AddFindings* const in_order[] = {
    add_missing_ranks,          //
    add_spawned,                //
    add_traffic_findings,       //
    add_grid_findings,          //
    add_datatype_findings,      //
    add_message_findings,       //
    add_file_findings,          //
    add_leak_findings,          //
    add_communicator_findings,  //
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
