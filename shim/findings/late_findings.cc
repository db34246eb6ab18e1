// The finding on a process that comes last to a place's collective calls, again and again, and on what the others wait.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "findings/findings.h"
#include "record/units.h"

namespace marshal::report {

std::optional<LatePlace> place_of_late_process(const Record& record) {
  constexpr double much = 0.01;
  constexpr std::uint64_t fewest = 5;
  for (const auto& [key, place] :
       record.times.places.heaviest_first([](const PlaceTime& p) { return p.arrivals.waiting_ns; })) {
    const Arrivals& arrivals = place->arrivals;
    const double part = part_of_run(real(arrivals.waiting_ns), record);
    if (part < much) break;
    if (arrivals.samples >= fewest && 2 * arrivals.last_samples > arrivals.samples) return LatePlace{key, place, part};
  }
  return std::nullopt;
}

void add_late_process(const Record& record, std::vector<Weighed>& all) {
  const std::optional<LatePlace> late = place_of_late_process(record);
  if (!late) return;
  const auto& [key, place, part] = *late;
  const Arrivals& arrivals = place->arrivals;
  const std::string where = key->site.call + at(place->symbol, key->site);
  const double waiting = real(arrivals.waiting_ns);
  Finding finding{Finding::Verdict::act, "time", "", "", "", mean_seconds(waiting, record)};
  finding.what = fmt::format("Rank {} comes last to {}, where processes wait for {} of the run.", arrivals.last_rank,
                             where, percent_text(part));
  finding.evidence = fmt::format("Measured: it was last in {} of {} samples, {} after the others in the mean.",
                                 arrivals.last_samples, arrivals.samples, time_text(arrivals.late_ns));
  const RankedSpread& useful = record.times.run.useful_ns;
  const bool has_most_work = useful.most_rank == arrivals.last_rank && useful.of.mean() > 0;
  const double more_work = has_most_work ? real(useful.of.max) - useful.of.mean() : 0;
  if (has_most_work)
    finding.evidence += fmt::format(" Outside MPI it works {} longer than the mean process.",
                                    percent_text(more_work / useful.of.mean()));
  const bool is_before_known = !arrivals.before.call.empty();
  const std::string before = is_before_known ? arrivals.before.call + at(arrivals.before_symbol, arrivals.before) : "";
  // A process that works as long as the others may come last for it waits for one of them.
  if (2 * more_work >= waiting / real(useful.of.samples))
    finding.action = is_before_known
                         ? fmt::format("Give rank {} less to do between {} and that call.", arrivals.last_rank, before)
                         : fmt::format("Give rank {} less to do before that call.", arrivals.last_rank);
  else
    finding.action = fmt::format("See what rank {} does, or waits for, before that call{}.", arrivals.last_rank,
                                 is_before_known ? ": its call before is " + before : "");
  all.push_back({std::move(finding), part});
}

}  // namespace marshal::report
