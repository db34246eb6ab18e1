#include "record/arrivals.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "record/record.h"

namespace marshal::report {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Clocks of two nodes run apart by less: makers of crystals promise 50 ppm for each, and the rates were measured.
constexpr double most_drift = 200e-6;
// By so much it may change in a run. The rest of it is a straight line, and taken out.
constexpr double most_change_of_drift = 5e-6;

struct Clock {
  std::uint64_t base = 0;  // ticks; of all clocks it is about the same moment
  bool has_base = false;
  double drift = most_drift;  // against the first node's clock, at most
};

struct Member {
  const ArrivalSample* sample;
  double entered, left;  // ns since the base of its node's clock
};

// The members of a call on one node.
struct OnNode {
  std::span<Member> members;
  const Member* last;  // of them, to enter
  double first_exit = infinity;
  double low = -infinity, high = infinity;  // so far the node's clock is before the first node's, in ns
  std::uint32_t node() const { return members.front().sample->node; }
};

class Calls {
 public:
  explicit Calls(const ArrivalSamples& samples) {
    for (const ArrivalSample& sample : samples.all()) members_.push_back({&sample, 0, 0});
    each_call([&](std::span<Member> call) {
      for (const Member& one : call)
        if (Clock& clock = clocks_[one.sample->node]; call.front().sample->call == ArrivalSample::meeting_of_all)
          clock.base = std::max(clock.base, one.sample->entered), clock.has_base = true;
    });
    each_call([&](std::span<Member> call) { add(call); });
    if (!clocks_.empty()) clocks_.begin()->second.drift = 0;
    std::ranges::sort(calls_, {}, [](const std::vector<OnNode>& call) { return call.front().first_exit; });
    bound_clocks();
    if (take_out_drift()) bound_clocks();
  }

  template <class Visit>
  void each(Visit&& visit) const {
    for (const std::vector<OnNode>& call : calls_)
      if (call.front().members.front().sample->place != 0 && (call.size() == 1 || are_clocks_sound_)) visit(call);
  }

 private:
  template <class Visit>
  void each_call(Visit&& visit) {
    const auto is_other = [](const Member& a, const Member& b) { return a.sample->call != b.sample->call; };
    for (auto at = members_.begin(); at != members_.end();) {
      const auto last = std::adjacent_find(at, members_.end(), is_other);
      const auto end = last == members_.end() ? last : std::next(last);
      visit(std::span(at, end));
      at = end;
    }
  }

  // A call that was timed in all of its processes, and that ended together, as far as that can be seen.
  void add(std::span<Member> call) {
    std::vector<OnNode> nodes;
    for (std::size_t i = 0; i < call.size(); ++i) {
      Member& one = call[i];
      const ArrivalSample& sample = *one.sample;
      const Clock& clock = clocks_[sample.node];
      if (sample.processes != call.size() || sample.entered == 0 || (i > 0 && sample.rank == call[i - 1].sample->rank))
        return;
      const auto ns = [&](std::uint64_t ticks) {
        return static_cast<double>(static_cast<std::int64_t>(ticks - clock.base)) * sample.ns_a_tick;
      };
      one.entered = ns(sample.entered), one.left = ns(sample.left);
      if (nodes.empty() || nodes.back().node() != sample.node) nodes.push_back({call.subspan(i, 1), &one});
      OnNode& node = nodes.back();
      node.members = {&node.members.front(), &one + 1};
      if (one.entered > node.last->entered) node.last = &one;
      node.first_exit = std::min(node.first_exit, one.left);
    }
    const bool are_comparable = nodes.size() == 1 || std::ranges::all_of(nodes, [&](const OnNode& node) {
                                  return clocks_[node.node()].has_base;
                                });
    if (are_comparable &&
        std::ranges::all_of(nodes, [](const OnNode& node) { return node.first_exit >= node.last->entered; }))
      calls_.push_back(std::move(nodes));
  }

  // Once from the first call to the last, and once back: each call bounds the clocks, and between two calls they drift.
  void bound_clocks() {
    for (std::vector<OnNode>& call : calls_)
      for (OnNode& node : call) node.low = -infinity, node.high = infinity;
    sweep(calls_.begin(), calls_.end());
    sweep(calls_.rbegin(), calls_.rend());
  }
  template <class Iterator>
  void sweep(Iterator at, Iterator end) {
    struct Bounds {
      double low = -infinity, high = infinity, since = 0;
    };
    std::map<std::uint32_t, Bounds> bounds;
    for (; at != end; ++at) {
      if (at->size() == 1) continue;
      double earliest = -infinity, latest = infinity;  // a moment when all were in the call, by the first node's clock
      for (const OnNode& node : *at) {
        Bounds& now = bounds[node.node()];
        const double drift = clocks_[node.node()].drift;
        if (drift == 0) now.low = now.high = 0;
        now.low -= drift * std::abs(node.first_exit - now.since);
        now.high += drift * std::abs(node.first_exit - now.since);
        now.since = node.first_exit;
        earliest = std::max(earliest, node.last->entered - now.high);
        latest = std::min(latest, node.first_exit - now.low);
      }
      for (OnNode& node : *at) {
        Bounds& now = bounds[node.node()];
        if (clocks_[node.node()].drift == 0) now.low = now.high = 0;
        now.low = std::max(now.low, node.last->entered - latest);
        now.high = std::min(now.high, node.first_exit - earliest);
        node.low = std::max(node.low, now.low);
        node.high = std::min(node.high, now.high);
        are_clocks_sound_ &= node.low <= node.high + 1;
      }
    }
  }

  // False if nothing gets better by it.
  bool take_out_drift() {
    struct Ends {
      const OnNode *first = nullptr, *last = nullptr;
    };
    std::map<std::uint32_t, Ends> ends;
    for (const std::vector<OnNode>& call : calls_)
      for (const OnNode& node : call)
        if (std::isfinite(node.low) && std::isfinite(node.high)) {
          Ends& of = ends[node.node()];
          (of.first == nullptr ? of.first : of.last) = &node;
        }
    bool is_better = false;
    std::map<std::uint32_t, double> slopes;
    for (const auto& [node, of] : ends) {
      Clock& clock = clocks_[node];
      if (of.last == nullptr || clock.drift == 0) continue;
      const double apart = of.last->first_exit - of.first->first_exit;
      const double widths = of.first->high - of.first->low + of.last->high - of.last->low;
      const double rest = most_change_of_drift + widths / 2 / apart;
      if (!(apart > 0) || rest >= clock.drift) continue;
      clock.drift = rest;
      slopes[node] = (of.last->high + of.last->low - of.first->high - of.first->low) / 2 / apart;
      is_better = true;
    }
    for (std::vector<OnNode>& call : calls_)
      for (OnNode& node : call)
        if (const auto slope = slopes.find(node.node()); slope != slopes.end()) {
          for (Member& one : node.members) one.entered *= 1 - slope->second, one.left *= 1 - slope->second;
          node.first_exit *= 1 - slope->second;
        }
    return is_better;
  }

  std::map<std::uint32_t, Clock> clocks_;
  std::vector<Member> members_;
  std::vector<std::vector<OnNode>> calls_;
  bool are_clocks_sound_ = true;
};

// What the samples of a place say, each times the calls that it stands for.
struct PlaceSum {
  struct Last {
    std::uint64_t times = 0;
    double late_ns = 0;
    std::map<std::uint64_t, std::uint64_t> before;
  };
  std::uint64_t calls = 0;
  double in_call = 0, waited_at_least = 0, waited_at_most = 0;
  std::map<std::uint32_t, double> waited_by_rank;
  std::map<std::uint32_t, Last> last;

  double waited() const { return (waited_at_least + waited_at_most) / 2; }
  // Within 5 % of it, or 1 % of the time in these calls.
  bool is_known() const {
    return in_call > 0 && (waited_at_most - waited_at_least) / 2 <= std::max(0.05 * waited(), 0.01 * in_call);
  }
};

using PlaceSums = std::map<std::uint64_t, PlaceSum>;

// When the last process of the call entered, by the clock of each of its nodes.
struct LastEntry {
  double earliest, latest;
};
std::vector<LastEntry> last_entries(const std::vector<OnNode>& call) {
  std::vector<LastEntry> last;
  for (const OnNode& here : call) {
    LastEntry of{here.last->entered, here.last->entered};
    for (const OnNode& there : call) {
      if (&there == &here) continue;
      of.earliest = std::max(of.earliest, there.last->entered - there.high + here.low);
      of.latest = std::max(of.latest, there.last->entered - there.low + here.high);
    }
    of.latest = std::max(of.earliest, std::min(of.latest, here.first_exit));
    last.push_back(of);
  }
  return last;
}

// The process that certainly entered last, or null.
const Member* last_of(const std::vector<OnNode>& call) {
  const OnNode& last =
      *std::ranges::max_element(call, {}, [](const OnNode& node) { return node.last->entered - node.high; });
  const bool is_certain = std::ranges::all_of(call, [&](const OnNode& node) {
    return &node == &last || node.last->entered - node.low <= last.last->entered - last.high;
  });
  return is_certain ? last.last : nullptr;
}

void add_call(const std::vector<OnNode>& call, std::uint64_t most_call, PlaceSums& sums) {
  const std::vector<LastEntry> last = last_entries(call);
  std::vector<PlaceSum*> places;
  double waited = 0;
  for (const OnNode& node : call)
    for (const Member& one : node.members) most_call = std::min(most_call, one.sample->most);
  const double calls = std::ldexp(1, 64) / static_cast<double>(most_call);
  std::size_t processes = 0;
  for (std::size_t n = 0; n < call.size(); ++n)
    for (const Member& one : call[n].members) {
      PlaceSum& sum = sums[one.sample->place];
      if (std::ranges::find(places, &sum) == places.end()) places.push_back(&sum);
      const double in_call = one.left - one.entered;
      const double at_least = std::clamp(last[n].earliest - one.entered, 0.0, in_call);
      const double at_most = std::clamp(last[n].latest - one.entered, at_least, in_call);
      sum.in_call += calls * in_call;
      sum.waited_at_least += calls * at_least;
      sum.waited_at_most += calls * at_most;
      sum.waited_by_rank[one.sample->rank] += calls * (at_least + at_most) / 2;
      waited += at_least;
      ++processes;
    }
  const Member* const late = processes < 2 ? nullptr : last_of(call);
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
  const ArrivalSamples& samples = record.arrivals;
  PlaceSums sums;
  Calls(samples).each([&](const std::vector<OnNode>& call) { add_call(call, samples.most_call(), sums); });
  if (sums.empty()) return;
  std::map<std::uint64_t, const CallSite*> sites;
  times.places.each([&](const PlaceKey& key, const PlaceTime&) { sites[hash_of(key)] = &key.site; });
  std::map<std::uint32_t, double> waited_by_rank;
  times.places.each([&](const PlaceKey& key, PlaceTime& row) {
    const auto found = sums.find(hash_of(key));
    if (found == sums.end()) return;
    const PlaceSum& sum = found->second;
    Arrivals& arrivals = row.arrivals;
    arrivals.samples = sum.calls;
    if (sum.is_known()) {
      const double part = row.time_ns.of.sum == 0 ? 0 : static_cast<double>(row.time_ns.of.sum) / sum.in_call;
      arrivals.waiting_ns = std::min(whole(part * sum.waited()), row.time_ns.of.sum);
      arrivals.moving_ns = row.time_ns.of.sum - arrivals.waiting_ns;
      for (const auto& [rank, waited] : sum.waited_by_rank) waited_by_rank[rank] += part * waited;
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
