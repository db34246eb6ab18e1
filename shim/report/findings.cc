#include "report/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/units.h"
#include "report/weighed_findings.h"

namespace marshal::report {
namespace {

using Verdict = Finding::Verdict;

void add_missing_ranks(const Record& record, std::vector<Weighed>& all) {
  const std::uint64_t recorded = record.ranks.count();
  if (recorded >= record.job.ranks && record.partial.empty()) return;
  Finding finding{Verdict::act, "report", "", "", ""};
  finding.what = recorded < record.job.ranks
                     ? fmt::format("This report knows {} of {} ranks only.", recorded, record.job.ranks)
                     : "Some ranks ended without MPI_Finalize.";
  if (recorded < record.job.ranks)
    finding.evidence = fmt::format("Missing: {}. ", record.ranks.missing(record.job.ranks).text());
  if (!record.partial.empty())
    finding.evidence += fmt::format("Ended without MPI_Finalize: {}.", record.partial.text());
  finding.action = recorded < record.job.ranks
                       ? "Every rank that ends by itself leaves a file; `marshal report FILE...` merges them. A killed "
                         "rank leaves none."
                       : "Call MPI_Finalize in each process: then the run writes one report of all of them.";
  all.push_back({std::move(finding), 1});
}

// They are a job of their own, and have this report's counts of messages on one side only.
void add_spawned(const Record& record, std::vector<Weighed>& all) {
  constexpr double weight = 0.02;
  for (const char* const name : {"MPI_Comm_spawn", "MPI_Comm_spawn_multiple"}) {
    const CallCount* const call = record.calls.find(name);
    if (call == nullptr) continue;
    all.push_back(
        {{Verdict::act, "report", fmt::format("What {} started is not in this report.", name),
          fmt::format("Counted: {} in {}.", counted(call->calls, "call"),
                      call->processes == 1 ? "1 process" : fmt::format("{} processes", call->processes)),
          fmt::format("Let {} start `marshal run PROGRAM`, if it does not yet: that job has a report of its own.",
                      name)},
         weight});
  }
}

void add_own_cost(const Record& record, std::vector<Weighed>& all) {
  constexpr double much = 0.02;
  const std::optional<double> share = record.own.cpu_share();
  if (!share || *share < much) return;
  const OwnCost& own = record.own;
  const double inside = own.inside_cpu_ns.mean(), ends = own.init_cpu_ns.mean() + own.finalize_cpu_ns.mean();
  all.push_back(
      {{Verdict::act, "Marshal", fmt::format("Marshal itself took {} of the processors' time.", percent_text(*share)),
        fmt::format("Measured, CPU time, mean of a process: init {}, inside calls {}, finalize {}.",
                    time_text(own.init_cpu_ns.mean()), time_text(inside), time_text(own.finalize_cpu_ns.mean())),
        inside > ends ? "MARSHAL_CALLSITES=off does not record where communicators are made, and MARSHAL_RANKMAP=off "
                        "keeps no maps of them."
                      : "Init and finalize are paid once: in a longer run it is less. MARSHAL_REPORT=summary writes "
                        "the shortest report."},
       *share});
}

std::vector<Weighed> all_findings(const Record& record) {
  std::vector<Weighed> all;
  add_missing_ranks(record, all);
  add_spawned(record, all);
  add_traffic_findings(record, all);
  add_grid_findings(record, all);
  add_datatype_findings(record, all);
  add_message_findings(record, all);
  add_file_findings(record, all);
  add_leak_findings(record, all);
  add_communicator_findings(record, all);
  add_time_findings(record, all);
  add_own_cost(record, all);
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
    if (one.finding.verdict != Verdict::act) continue;
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
