#include "record/sampled_calls.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace marshal::report {

constexpr double infinity = std::numeric_limits<double>::infinity();

SampledCalls::SampledCalls(const ArrivalSamples& samples) {
  for (const ArrivalSample& sample : samples.all()) {
    entries_.push_back({&sample, 0, 0});
    Clock& clock = clocks_[sample.node];
    if (clock.ns_a_tick == 0) clock.ns_a_tick = sample.ns_a_tick;
    if (sample.call != ArrivalSample::first_meeting) continue;
    clock.base = std::max(clock.base, sample.entered);
    clock.has_base = true;
  }
  if (!clocks_.empty()) clocks_.begin()->second.drift = 0;
  for (auto at = entries_.begin(); at != entries_.end();) {
    const auto is_other = [call = at->sample->call](const SampledEntry& one) { return one.sample->call != call; };
    const auto end = std::find_if(at, entries_.end(), is_other);
    add(std::span(at, end));
    at = end;
  }
  std::ranges::sort(calls_, {}, [](const SampledCall& call) { return call.front().first_exit; });
  bound_clocks();
  if (take_out_drift()) bound_clocks();
  if (!are_clocks_sound_) forget_bounds();
  // The bounds are of the first exit.
  for (SampledCall& call : calls_) {
    if (call.size() == 1) continue;
    for (CallOnNode& node : call) {
      const double drift = clocks_[node.node()].drift * (node.first_exit - node.last->entered);
      node.least_ahead -= drift;
      node.most_ahead += drift;
    }
  }
}

void SampledCalls::add(std::span<SampledEntry> group) {
  std::vector<std::uint64_t> places;
  for (const SampledEntry& one : group)
    if (one.sample->left != 0 && std::ranges::find(places, one.sample->place) == places.end()) {
      places.push_back(one.sample->place);
      ++noted_[one.sample->place];
    }
  SampledCall call;
  for (std::size_t i = 0; i < group.size(); ++i) {
    SampledEntry& one = group[i];
    const ArrivalSample& sample = *one.sample;
    const bool is_again = i > 0 && sample.rank == group[i - 1].sample->rank;
    if (sample.processes != group.size() || sample.entered == 0 || sample.left < sample.entered || is_again) return;
    const Clock& clock = clocks_[sample.node];
    const auto ns = [&](std::uint64_t ticks) {
      return static_cast<double>(static_cast<std::int64_t>(ticks - clock.base)) * clock.ns_a_tick;
    };
    one.entered = ns(sample.entered), one.left = ns(sample.left);
    if (call.empty() || call.back().node() != sample.node) call.push_back({group.subspan(i, 1), &one, one.left});
    CallOnNode& node = call.back();
    node.processes = {&node.processes.front(), &one + 1};
    if (one.entered > node.last->entered) node.last = &one;
    node.first_exit = std::min(node.first_exit, one.left);
  }
  if (std::ranges::all_of(call, [](const CallOnNode& node) { return node.first_exit >= node.last->entered; }))
    calls_.push_back(std::move(call));
}

bool SampledCalls::are_comparable(const SampledCall& call) const {
  return call.size() > 1 &&
         std::ranges::all_of(call, [&](const CallOnNode& node) { return clocks_.at(node.node()).has_base; });
}

void SampledCalls::forget_bounds() {
  for (SampledCall& call : calls_)
    for (CallOnNode& node : call)
      node.most_ahead = call.size() == 1 ? 0 : infinity, node.least_ahead = -node.most_ahead;
}

// Once from the first call to the last, and once back.
void SampledCalls::bound_clocks() {
  forget_bounds();
  sweep(calls_.begin(), calls_.end());
  sweep(calls_.rbegin(), calls_.rend());
}

template <class Iterator>
void SampledCalls::sweep(Iterator at, Iterator end) {
  struct Bounds {
    double least = -infinity, most = infinity, since = 0;
  };
  std::map<std::uint32_t, Bounds> bounds;
  for (; at != end; ++at) {
    if (!are_comparable(*at)) continue;
    double earliest = -infinity, latest = infinity;  // a moment when all were in the call, by the first node's clock
    for (const CallOnNode& node : *at) {
      Bounds& now = bounds[node.node()];
      const double drift = clocks_[node.node()].drift;
      if (drift == 0) now.least = now.most = 0;
      now.least -= drift * std::abs(node.first_exit - now.since);
      now.most += drift * std::abs(node.first_exit - now.since);
      now.since = node.first_exit;
      earliest = std::max(earliest, node.last->entered - now.most);
      latest = std::min(latest, node.first_exit - now.least);
    }
    for (CallOnNode& node : *at) {
      Bounds& now = bounds[node.node()];
      if (clocks_[node.node()].drift != 0) {
        now.least = std::max(now.least, node.last->entered - latest);
        now.most = std::min(now.most, node.first_exit - earliest);
      }
      node.least_ahead = std::max(node.least_ahead, now.least);
      node.most_ahead = std::min(node.most_ahead, now.most);
      constexpr double of_rounding = 10;  // ns
      are_clocks_sound_ &= node.least_ahead <= node.most_ahead + of_rounding;
    }
  }
}

// False if nothing gets better by it.
bool SampledCalls::take_out_drift() {
  struct Ends {
    const CallOnNode *first = nullptr, *last = nullptr;
  };
  std::map<std::uint32_t, Ends> ends;
  for (const SampledCall& call : calls_) {
    if (!are_comparable(call)) continue;
    for (const CallOnNode& node : call)
      if (std::isfinite(node.least_ahead) && std::isfinite(node.most_ahead)) {
        Ends& of = ends[node.node()];
        (of.first == nullptr ? of.first : of.last) = &node;
      }
  }
  std::map<std::uint32_t, double> slopes;
  for (const auto& [node, of] : ends) {
    Clock& clock = clocks_[node];
    if (of.last == nullptr || clock.drift == 0) continue;
    const double apart = of.last->first_exit - of.first->first_exit;
    const double widths = of.first->most_ahead - of.first->least_ahead + of.last->most_ahead - of.last->least_ahead;
    const double rest = most_change_of_drift + widths / 2 / apart;
    if (!(apart > 0) || rest >= clock.drift) continue;
    clock.drift = rest;
    slopes[node] =
        (of.last->most_ahead + of.last->least_ahead - of.first->most_ahead - of.first->least_ahead) / 2 / apart;
  }
  for (SampledCall& call : calls_)
    for (CallOnNode& node : call)
      if (const auto slope = slopes.find(node.node()); slope != slopes.end()) {
        for (SampledEntry& one : node.processes) one.entered *= 1 - slope->second, one.left *= 1 - slope->second;
        node.first_exit *= 1 - slope->second;
      }
  return !slopes.empty();
}

}  // namespace marshal::report
