// The findings on the messages of the run.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/units.h"
#include "report/weighed_findings.h"

namespace marshal::report {
namespace {

using Verdict = Finding::Verdict;

double share(std::uint64_t part, std::uint64_t whole) { return whole == 0 ? 0 : real(part) / real(whole); }

}  // namespace

void add_traffic_findings(const Record& record, std::vector<Weighed>& all) {
  const Traffic& traffic = record.traffic;
  if (traffic.processes == 0 || traffic.messages == 0 || record.job.nodes <= 1) return;
  const PlacedBytes& between = traffic.between_nodes;
  const double part = share(between.in_force, traffic.bytes), part_given = share(between.given, traffic.bytes);
  Finding finding{Verdict::nothing, "traffic", "", "", ""};
  finding.what = fmt::format("Messages: {} in {}; {} of the bytes left their node.", bytes_text(traffic.bytes),
                             count_text(traffic.messages), percent_text(part));
  finding.evidence = between_nodes_text(between, traffic.leaving);
  const std::string order =
      traffic.file.empty()
          ? "MARSHAL_TRAFFIC=on writes what marshal order needs to work out another order of the ranks."
          : fmt::format("`marshal order {}` works out another order of the ranks.", traffic.file);
  if (between.in_force < between.given) {
    finding.verdict = Verdict::gained;
    finding.action = order;
  } else if (between.in_force > 0) {
    finding.verdict = Verdict::act;
    finding.action = order;
  } else if (traffic.unknown_messages + traffic.unsized != 0) {
    finding.action = "Nothing to gain is known: some messages went to processes, or had sizes, that are not known.";
  } else {
    finding.action = "Nothing to gain: no message left its node.";
  }
  finding.most_seconds = seconds_in_messages(record).value_or(-1);
  all.push_back({std::move(finding), std::max(part, part_given)});
}

}  // namespace marshal::report
