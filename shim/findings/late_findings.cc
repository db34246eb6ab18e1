// The finding on a process that comes last to a place's collective calls, again and again, and on what the others wait.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "findings/findings.h"
#include "record/units.h"

namespace marshal::report {
namespace {

// The place with the most waiting of those where one process is last in most samples, and the others wait for much of
// the run. Null if there is none.
const std::pair<const PlaceKey*, const PlaceTime*>* worst_of(
    const std::vector<std::pair<const PlaceKey*, const PlaceTime*>>& places, const Record& record) {
  constexpr double much = 0.01;
  constexpr std::uint64_t fewest = 5;
  const auto found = std::ranges::find_if(places, [&](const auto& place) {
    const Arrivals& arrivals = place.second->arrivals;
    return arrivals.samples >= fewest && 2 * arrivals.last_samples > arrivals.samples &&
           part_of_run(real(arrivals.waiting_ns), record) >= much;
  });
  return found == places.end() ? nullptr : &*found;
}

}  // namespace

void add_late_process(const Record& record, std::vector<Weighed>& all) {
  const auto places = record.times.places.heaviest_first([](const PlaceTime& p) { return p.arrivals.waiting_ns; });
  const auto* const worst = worst_of(places, record);
  if (worst == nullptr) return;
  const auto& [key, place] = *worst;
  const Arrivals& arrivals = place->arrivals;
  const std::string where = key->site.call + at(place->symbol, key->site);
  const double waiting = real(arrivals.waiting_ns);
  Finding finding{Finding::Verdict::act, "time", "", "", "", mean_seconds(waiting, record)};
  finding.what = fmt::format("Rank {} comes last to {}, where processes wait for {} of the run.", arrivals.last_rank,
                             where, percent_text(part_of_run(waiting, record)));
  finding.evidence = fmt::format("Measured: it was last in {} of {} samples, {} after the others in the mean.",
                                 arrivals.last_samples, arrivals.samples, time_text(arrivals.late_ns));
  const RankedSpread& useful = record.times.run.useful_ns;
  if (useful.most_rank == arrivals.last_rank && useful.of.mean() > 0)
    finding.evidence += fmt::format(" Outside MPI it works {} longer than the mean process.",
                                    percent_text(real(useful.of.max) / useful.of.mean() - 1));
  const std::string before =
      arrivals.before.call.empty() ? "" : arrivals.before.call + at(arrivals.before_symbol, arrivals.before);
  finding.action = before.empty()
                       ? fmt::format("Give rank {} less to do before that call.", arrivals.last_rank)
                       : fmt::format("Give rank {} less to do between {} and that call.", arrivals.last_rank, before);
  all.push_back({std::move(finding), part_of_run(waiting, record)});
}

}  // namespace marshal::report
