// The findings on the time in MPI, and what the time says about all others. Where the time went is no finding: it is a
// fact, and stands in the lines and tables of times.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "findings/findings.h"
#include "record/units.h"

namespace marshal::report {
namespace {

using Verdict = Finding::Verdict;

// False for calls that no order of the ranks makes faster: local ones, files, and constructors.
bool is_of_messages(std::string_view call) {
  constexpr std::array<std::string_view, 18> others{
      "MPI_File_",   "MPI_Comm_",    "MPI_Cart_", "MPI_Graph_",   "MPI_Dist_graph_", "MPI_Dims_",
      "MPI_Type_",   "MPI_Group_",   "MPI_Pack",  "MPI_Unpack",   "MPI_Intercomm_",  "MPI_Win_create",
      "MPI_Win_all", "MPI_Win_free", "MPI_Init",  "MPI_Session_", "MPI_Finalize",    "MPI_Pcontrol"};
  return std::none_of(others.begin(), others.end(), [&](auto begin) { return call.starts_with(begin); });
}

void add_uneven_work(const Record& record, std::vector<Weighed>& all) {
  constexpr double much = 0.05;
  const TimedRun& run = record.times.run;
  // The mean process is not later for it than by its time in MPI.
  const double lost_ns = std::min(real(run.useful_ns.of.max) - run.useful_ns.of.mean(), run.mpi_ns.of.mean());
  const double part = run.run_ns.max == 0 ? 0 : lost_ns / real(run.run_ns.max);
  if (run.useful_ns.of.samples < 2 || part < much) return;
  // add_late_process says it, and where.
  const std::optional<LatePlace> late = place_of_late_process(record);
  if (late && late->place->arrivals.last_rank == run.useful_ns.most_rank && 2 * late->part_of_run >= part) return;
  Finding finding{Verdict::act, "time", "", "", "", lost_ns * 1e-9};
  finding.what =
      fmt::format("The processes work unevenly outside MPI: rank {} for {}, the mean process for {}.",
                  run.useful_ns.most_rank, time_text(run.useful_ns.of.max), time_text(run.useful_ns.of.mean()));
  finding.evidence = fmt::format("Measured: load balance {:.2f}, communication efficiency {:.2f}.", run.load_balance(),
                                 run.communication_efficiency());
  finding.action = "Give that rank less to do; `marshal report --html` has a bar for each rank.";
  all.push_back({std::move(finding), part});
}

// A run of a few bytes is not slow because of them. So here is a network that is slower than any that carries MPI:
// 8 Mbit/s, which all nodes share. Nothing where some messages are not known.
std::optional<double> seconds_on_slowest_network(const Record& record) {
  constexpr double of_a_byte = 1e-6, of_a_message = 1e-3;
  const Traffic& sent = record.traffic;
  if (sent.processes == 0 || record.job.nodes == 0 || sent.unknown_messages + sent.unsized + sent.lost_messages != 0)
    return std::nullopt;
  double bytes = real(std::max(sent.between_nodes.in_force, sent.between_nodes.given)), messages = real(sent.messages);
  for (const CollectiveRow& row : collective_rows(sent)) {
    if (row.processes == 0) return std::nullopt;
    bytes += real(row.all.bytes) * real(row.processes);
    messages += real(row.all.calls) * real(row.processes);
  }
  return of_a_byte * bytes + of_a_message * messages / real(sent.processes);
}

}  // namespace

bool begins_or_ends_mpi(std::string_view call) {
  return call.starts_with("MPI_Init") || call.starts_with("MPI_Session_") || call == "MPI_Finalize";
}

std::optional<double> most_gain_of_an_order(const Record& record) {
  if (!record.times.measured()) return std::nullopt;
  const TimedRun& run = record.times.run;
  double ns = 0;
  record.calls.each([&](const std::string& name, const CallCount& call) {
    if (is_of_messages(name)) ns += real(call.time_ns.of.sum) + real(call.other_threads_ns);
  });
  double most = std::min(mean_seconds(ns, record), seconds_on_slowest_network(record).value_or(HUGE_VAL));
  // No run is shorter than the work of the process that has most. The work of a thread that leaves MPI to others says
  // nothing of theirs.
  if (record.times.other_threads_ns.sum == 0)
    most = std::min(most, (real(run.run_ns.max) - real(run.useful_ns.of.max)) * 1e-9);
  return most;
}

void add_time_findings(const Record& record, std::vector<Weighed>& all) {
  if (record.times.measured()) add_uneven_work(record, all);
}

}  // namespace marshal::report
