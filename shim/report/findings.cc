#include "report/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/units.h"
#include "report/weighed_findings.h"

namespace marshal::report {
namespace {

using Verdict = Finding::Verdict;

// Of all processes together; 0: not measured.
double wall_ns(const Record& record) { return real(record.own.wall_ns.sum); }

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
  finding.action =
      "Every rank that ends by itself leaves a file; `marshal report FILE...` merges them. A killed rank leaves none.";
  all.push_back({std::move(finding), 1});
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
                    seconds(own.init_cpu_ns.mean()), seconds(inside), seconds(own.finalize_cpu_ns.mean())),
        inside > ends ? "MARSHAL_CALLSITES=off does not record where communicators are made, and MARSHAL_RANKMAP=off "
                        "keeps no maps of them."
                      : "Init and finalize are paid once: in a longer run it is less. MARSHAL_REPORT=json writes the "
                        "shortest report."},
       *share});
}

}  // namespace

double part_of_run(double ns, const Record& record) {
  return wall_ns(record) > 0 ? std::min(1.0, ns / wall_ns(record)) : 0;
}

std::string of_the_run(double ns, const Record& record) {
  return wall_ns(record) > 0 ? fmt::format(", {} of the run", percent_text(part_of_run(ns, record))) : "";
}

std::string of_the_longer_run(double ns, const Record& record) {
  const double wall = wall_ns(record);
  return wall > 0 ? fmt::format(", {} of what the run would have taken", percent_text(ns / (wall + ns))) : "";
}

std::string at(const std::string& symbol, const CallSite& site) {
  const std::string place = name_or_place(symbol, site);
  return place.empty() ? "" : fmt::format(" ({})", place);
}

std::string seconds(double ns) { return seconds_text(ns / 1e9); }

std::string counted(std::uint64_t count, const std::string& thing) {
  return fmt::format("{} {}{}", count_text(count), thing, count == 1 ? "" : "s");
}

std::string between_nodes_text(const PlacedBytes& between, const BytesOfNodes& leaving) {
  const PlacedBytes most = busiest(leaving);
  std::string text = fmt::format("Measured: {} between nodes, {} from the busiest", bytes_text(real(between.in_force)),
                                 bytes_text(real(most.in_force)));
  if (between.in_force != between.given || most.in_force != most.given)
    text += fmt::format("; in the order given {}, {}", bytes_text(real(between.given)), bytes_text(real(most.given)));
  return text + ".";
}

std::string verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::act:
      return "to do";
    case Verdict::gained:
      return "gained";
    case Verdict::nothing:
      break;
  }
  return "nothing to gain";
}

std::vector<Finding> findings(const Record& record) {
  std::vector<Weighed> all;
  add_missing_ranks(record, all);
  add_traffic_findings(record, all);
  add_grid_findings(record, all);
  add_datatype_findings(record, all);
  add_message_findings(record, all);
  add_communicator_findings(record, all);
  add_own_cost(record, all);
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

}  // namespace marshal::report
