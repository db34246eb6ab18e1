// The findings on the messages of the run.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/printable_text.h"
#include "findings/findings.h"
#include "record/units.h"

namespace marshal::report {
namespace {

using Verdict = Finding::Verdict;

double share(std::uint64_t part, std::uint64_t whole) { return whole == 0 ? 0 : real(part) / real(whole); }

// Marshal does not see the messages that the MPI library sends inside collective calls on files.
std::string not_counted(const Record& record) {
  std::uint64_t calls = 0;
  record.calls.each([&](const std::string& name, const CallCount& count) {
    if (is_collective_on_files(name)) calls += count.calls;
  });
  return calls == 0 ? ""
                    : fmt::format(" What the MPI library sends inside {} on files is not counted.",
                                  counted(calls, "collective call"));
}

// Bytes between nodes that the order that was tried saves.
double saved_by_order(const Traffic& traffic) {
  const std::uint64_t now = traffic.between_nodes.in_force;
  return real(now - std::min(now, traffic.tried_order_bytes));
}
// Less is within what one run sends more than another.
double least_saving(const Traffic& traffic) { return 0.01 * real(traffic.between_nodes.in_force); }

// Sets the verdict, and what to do, by the order that was tried, if one was.
void tell_of_orders(const Record& record, Finding& finding) {
  const Traffic& traffic = record.traffic;
  if (no_order_saves(record) && saved_by_order(traffic) < least_saving(traffic)) {
    finding.action = "Nothing to gain is known: the orders of the ranks that were tried save less than 1 %.";
  } else if (no_order_saves(record)) {
    finding.action =
        fmt::format("Nothing to gain is known: another order saves less than collectives on parts of the job have, {}.",
                    bytes_text(bytes_in_parts(traffic, record.job.ranks)));
  } else if (traffic.tried_orders != 0) {
    finding.verdict = Verdict::act;
    finding.action = fmt::format("`{}`: the order that was tried sends {} between nodes (predicted).",
                                 traffic.kept.empty() ? "marshal order " + shell_word(traffic.file) : "marshal launch",
                                 bytes_text(traffic.tried_order_bytes));
  } else {
    finding.verdict = Verdict::act;
    finding.action = traffic.file.empty()
                         ? "MARSHAL_TRAFFIC=on tries other orders of the ranks when the run ends."
                         : fmt::format("`marshal order {}` tries other orders of the ranks.", shell_word(traffic.file));
  }
}

}  // namespace

bool is_collective_on_files(std::string_view call) {
  return (call.starts_with("MPI_File_read") || call.starts_with("MPI_File_write") ||
          call.starts_with("MPI_File_iread") || call.starts_with("MPI_File_iwrite")) &&
         (call.ends_with("_all") || call.ends_with("_ordered") || call.ends_with("_begin"));
}

bool no_order_saves(const Record& record) {
  const Traffic& traffic = record.traffic;
  if (traffic.tried_orders == 0) return false;
  // The bytes of a collective have no pairs, so the order was found without them (tools/order/planned_order.h).
  const double in_parts = real(bytes_in_parts(traffic, record.job.ranks));
  return saved_by_order(traffic) < std::max(least_saving(traffic), in_parts);
}

void add_traffic_findings(const Record& record, std::vector<Weighed>& all) {
  const Traffic& traffic = record.traffic;
  if (traffic.processes == 0 || traffic.messages == 0 || record.job.nodes <= 1) return;
  const PlacedBytes& between = traffic.between_nodes;
  const double part = share(between.in_force, traffic.bytes), part_given = share(between.given, traffic.bytes);
  Finding finding{Verdict::nothing, "traffic", "", "", ""};
  finding.what = carried_text(traffic.messages, traffic.bytes) +
                 fmt::format(", {} of it between nodes.", bytes_text(between.in_force));
  finding.evidence = between_nodes_text(between, traffic.leaving) + not_counted(record);
  if (between.in_force > 0) {
    tell_of_orders(record, finding);
    if (finding.verdict == Verdict::nothing && between.in_force < between.given) finding.verdict = Verdict::gained;
  } else if (traffic.unknown_messages + traffic.unsized != 0) {
    finding.action = "Nothing to gain is known: some messages went to processes, or had sizes, that are not known.";
  } else {
    finding.action = "Nothing to gain: no message left its node.";
  }
  finding.most_seconds = most_gain_of_an_order(record).value_or(-1);
  all.push_back({std::move(finding), std::max(part, part_given)});
}

}  // namespace marshal::report
