#include "record/arrivals.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "record/record.h"
#include "record/sampled_calls.h"

namespace marshal::report {
namespace {

// The sums over the samples of a place; each counts as often as it stands for calls.
struct PlaceSum {
  struct Last {
    std::uint64_t times = 0;
    double late_ns = 0;
    std::map<std::uint64_t, std::uint64_t> before;
  };
  std::uint64_t calls = 0;
  double entries = 0, in_call = 0, waited_at_least = 0, waited_at_most = 0;
  std::map<std::uint32_t, double> waited_by_rank;
  std::map<std::uint32_t, Last> last;

  double waited() const { return (waited_at_least + waited_at_most) / 2; }
  // The clocks tell it within 5 %, or 1 % of the time in these calls; nearly all of the calls that were noted tell it;
  // and they are as long as the calls of the place, of which they are nearly all, or not too few.
  bool is_known(std::uint64_t noted, const PlaceTime& place) const {
    const double calls_of_place = static_cast<double>(place.calls), ns = static_cast<double>(place.time_ns.of.sum);
    const double as_long = in_call * calls_of_place / (entries * std::max(ns, 1.0));
    return 10 * calls >= 9 * noted && place.other_threads_ns == 0 &&
           (waited_at_most - waited_at_least) / 2 <= std::max(0.05 * waited(), 0.01 * in_call) &&
           (calls >= 8 || entries >= 0.9 * calls_of_place) && as_long >= 0.8 && as_long <= 1.25;
  }
};

using PlaceSums = std::map<std::uint64_t, PlaceSum>;

void add_call(const SampledCall& call, PlaceSums& sums) {
  // The last entries of the nodes, by the first node's clock, at the earliest and at the latest.
  const auto earliest_of = [](const CallOnNode& node) { return node.last->entered - node.most_ahead; };
  const auto latest_of = [](const CallOnNode& node) { return node.last->entered - node.least_ahead; };
  const CallOnNode &late_node = *std::ranges::max_element(call, {}, earliest_of),
                   &latest_node = *std::ranges::max_element(call, {}, latest_of);
  double next_latest = -std::numeric_limits<double>::infinity();
  for (const CallOnNode& node : call)
    if (&node != &latest_node) next_latest = std::max(next_latest, latest_of(node));
  const auto latest_without = [&](const CallOnNode& node) {
    return &node == &latest_node ? next_latest : latest_of(latest_node);
  };
  const double calls = std::ldexp(1, static_cast<int>(call.front().last->sample->halvings));
  std::vector<PlaceSum*> places;
  double waited = 0;
  std::size_t processes = 0;
  for (const CallOnNode& node : call) {
    // When the last process of all entered, by this node's clock.
    const double earliest = std::max(node.last->entered, earliest_of(late_node) + node.least_ahead);
    const double latest =
        std::min(node.first_exit, std::max(node.last->entered, latest_without(node) + node.most_ahead));
    for (const SampledEntry& one : node.processes) {
      PlaceSum& sum = sums[one.sample->place];
      if (std::ranges::find(places, &sum) == places.end()) places.push_back(&sum);
      const double in_call = one.left - one.entered;
      const double at_least = std::clamp(earliest - one.entered, 0.0, in_call);
      const double at_most = std::clamp(latest - one.entered, at_least, in_call);
      sum.entries += calls;
      sum.in_call += calls * in_call;
      sum.waited_at_least += calls * at_least;
      sum.waited_at_most += calls * at_most;
      sum.waited_by_rank[one.sample->rank] += calls * (at_least + at_most) / 2;
      waited += at_least;
      ++processes;
    }
  }
  const bool is_certain = processes > 1 && latest_without(late_node) <= earliest_of(late_node);
  const SampledEntry* const late = is_certain ? late_node.last : nullptr;
  for (PlaceSum* const sum : places) {
    ++sum->calls;
    if (late == nullptr) continue;
    PlaceSum::Last& of = sum->last[late->sample->rank];
    ++of.times;
    of.late_ns += waited / static_cast<double>(processes - 1);
    ++of.before[late->sample->before];
  }
}

std::uint64_t whole(double ns) { return static_cast<std::uint64_t>(std::llround(std::max(ns, 0.0))); }

}  // namespace

void judge_arrivals(Record& record) {
  Times& times = record.times;
  const SampledCalls calls(record.arrivals);
  PlaceSums sums;
  calls.each([&](const SampledCall& call) { add_call(call, sums); });
  std::map<std::uint64_t, const CallSite*> sites;
  times.places.each([&](const PlaceKey& key, const PlaceTime&) { sites[hash_of(key)] = &key.site; });
  std::map<std::uint32_t, double> waited_by_rank;
  times.places.each([&](const PlaceKey& key, PlaceTime& row) {
    const std::uint64_t hash = hash_of(key);
    const auto found = sums.find(hash);
    if (found == sums.end() || key.site.call.empty()) return;
    const PlaceSum& sum = found->second;
    Arrivals& arrivals = row.arrivals;
    arrivals.samples = sum.calls;
    if (sum.is_known(calls.noted_at(hash), row)) {
      const double scale = static_cast<double>(row.time_ns.of.sum) / sum.in_call;
      arrivals.waiting_ns = std::min(whole(scale * sum.waited()), row.time_ns.of.sum);
      arrivals.moving_ns = row.time_ns.of.sum - arrivals.waiting_ns;
      for (const auto& [rank, waited] : sum.waited_by_rank) waited_by_rank[rank] += scale * waited;
    }
    const auto most = std::ranges::max_element(sum.last, {}, [](const auto& last) { return last.second.times; });
    if (most == sum.last.end()) return;
    const auto& [rank, last] = *most;
    arrivals.last_rank = rank;
    arrivals.last_samples = last.times;
    arrivals.late_ns = whole(last.late_ns / static_cast<double>(last.times));
    const auto before = std::ranges::max_element(last.before, {}, [](const auto& of) { return of.second; });
    if (const auto site = sites.find(before->first); site != sites.end()) arrivals.before = *site->second;
  });
  const std::uint64_t ranks = Times::ranks_a_bar(std::max<std::uint64_t>(record.job.ranks, 1));
  for (const auto& [rank, ns] : waited_by_rank) times.waiting[rank / ranks].add(whole(ns));
}

}  // namespace marshal::report
