// The findings on the time in MPI, and what the time says about all others.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "report/findings.h"
#include "report/units.h"
#include "report/weighed_findings.h"

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

void add_heaviest_place(const Record& record, std::vector<Weighed>& all) {
  constexpr double much = 0.05;
  const double run = real(record.times.run.run_ns.sum);
  if (run <= 0) return;
  for (const auto& [key, place] :
       record.times.places.heaviest_first([](const PlaceTime& time) { return time.time_ns.of.sum; })) {
    const double ns = real(place->time_ns.of.sum);
    if (ns < much * run || place->time_ns.of.sum < record.times.places.others().time_ns.of.sum) return;
    if (key->site.call.empty()) return;  // of many places together
    if (begins_or_ends_mpi(key->site.call)) continue;
    const std::string where = key->site.call + at(place->symbol, key->site);
    if (std::any_of(all.begin(), all.end(), [&](const Weighed& one) { return one.place == where; })) continue;
    Finding finding{Verdict::act, "time", "", "", "", mean_seconds(ns, record)};
    finding.what = fmt::format("{} takes {} of the run", where, percent_text(ns / run));
    if (place->time_ns.of.samples > 1)
      finding.what += fmt::format(" (rank {}: {})", place->time_ns.most_rank,
                                  percent_text(real(place->time_ns.of.max) / real(record.times.run.run_ns.max)));
    finding.what += ".";
    finding.evidence = fmt::format("Measured: {} in {} of {} processes.", time_text(ns), counted(place->calls, "call"),
                                   place->time_ns.of.samples);
    finding.action = "`marshal report --details` has the times of all places in the program.";
    all.push_back({std::move(finding), ns / run});
    return;
  }
}

void add_uneven_work(const Record& record, std::vector<Weighed>& all) {
  constexpr double much = 0.05;
  const TimedRun& run = record.times.run;
  // The mean process is not later for it than by its time in MPI.
  const double lost_ns = std::min(real(run.useful_ns.of.max) - run.useful_ns.of.mean(), run.mpi_ns.of.mean());
  const double part = run.run_ns.max == 0 ? 0 : lost_ns / real(run.run_ns.max);
  if (run.useful_ns.of.samples < 2 || part < much) return;
  Finding finding{Verdict::act, "time", "", "", "", lost_ns * 1e-9};
  finding.what =
      fmt::format("The processes work unevenly outside MPI: rank {} for {}, the mean process for {}.",
                  run.useful_ns.most_rank, time_text(run.useful_ns.of.max), time_text(run.useful_ns.of.mean()));
  finding.evidence = fmt::format("Measured: load balance {:.2f}, communication efficiency {:.2f}.", run.load_balance(),
                                 run.communication_efficiency());
  finding.action = "Give that rank less to do; `marshal report --html` has a bar for each rank.";
  all.push_back({std::move(finding), part});
}

}  // namespace

bool begins_or_ends_mpi(std::string_view call) {
  return call.starts_with("MPI_Init") || call.starts_with("MPI_Session_") || call == "MPI_Finalize";
}

std::optional<double> most_gain_of_an_order(const Record& record) {
  // In ns: more than any network of today takes.
  constexpr double of_a_byte = 10, of_a_message = 25'000;
  if (!record.times.measured()) return std::nullopt;
  double ns = 0;
  record.calls.each([&](const std::string& name, const CallCount& call) {
    if (is_of_messages(name)) ns += real(call.time_ns.of.sum) + real(call.other_threads_ns);
  });
  const double measured = std::min(mean_seconds(ns, record), record.times.run.run_ns.mean() * 1e-9);
  const Traffic& sent = record.traffic;
  if (sent.processes == 0 || record.job.nodes == 0 || sent.unknown_messages + sent.unsized + sent.lost_messages != 0)
    return measured;
  const PlacedBytes most = busiest(sent.leaving);
  const double on_slow_network =
      of_a_byte * real(std::max(most.in_force, most.given)) + of_a_message * real(sent.messages) / real(sent.processes);
  return std::min(measured, on_slow_network * 1e-9);
}

void add_time_findings(const Record& record, std::vector<Weighed>& all) {
  if (!record.times.measured()) return;
  add_heaviest_place(record, all);
  add_uneven_work(record, all);
}

}  // namespace marshal::report
