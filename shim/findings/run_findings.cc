// The findings on the report itself: who is missing from it, and what Marshal cost.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "findings/findings.h"
#include "record/units.h"

namespace marshal::report {

void add_missing_ranks(const Record& record, std::vector<Weighed>& all) {
  const std::uint64_t recorded = record.ranks.count();
  if (recorded >= record.job.ranks && record.partial.empty()) return;
  Finding finding{Finding::Verdict::act, "report", "", "", ""};
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
        {{Finding::Verdict::act, "report", fmt::format("What {} started is not in this report.", name),
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
      {{Finding::Verdict::act, "Marshal",
        fmt::format("Marshal itself took {} of the processors' time.", percent_text(*share)),
        fmt::format("Measured, CPU time, mean of a process: init {}, inside calls {}, finalize {}.",
                    time_text(own.init_cpu_ns.mean()), time_text(inside), time_text(own.finalize_cpu_ns.mean())),
        inside > ends ? "MARSHAL_CALLSITES=off does not record where communicators are made, and MARSHAL_RANKMAP=off "
                        "keeps no maps of them."
                      : "Init and finalize are paid once: in a longer run it is less. MARSHAL_REPORT=summary writes "
                        "the shortest report."},
       *share});
}

}  // namespace marshal::report
