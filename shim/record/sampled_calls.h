// Collective calls put together from the samples of their processes, and how far the clocks of their nodes are apart.
//
// Let x be by how much the clock of node B is ahead of that of node A. No process of A leaves a call before the last of
// B has entered it, so: last entry of B - x <= first exit of A; and the other way round. Thus each call bounds x, and
// between two calls the bounds widen by what clocks drift. So no message is needed after MPI_Init.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "record/arrival_samples.h"

namespace marshal::report {

// One process in a call: ns since a moment that is about the same for the clocks of all nodes.
struct SampledEntry {
  const ArrivalSample* sample;
  double entered, left;
};

// The processes of a call on one node: they read one clock.
struct CallOnNode {
  std::span<SampledEntry> processes;
  const SampledEntry* last;  // of them, to enter
  double first_exit;
  // By so much, in ns, the clock is ahead of that of the first node. Infinite where nobody knows. 0 in a call of one
  // node, which needs no other clock.
  double least_ahead = -std::numeric_limits<double>::infinity();
  double most_ahead = std::numeric_limits<double>::infinity();
  std::uint32_t node() const { return processes.front().sample->node; }
};
using SampledCall = std::vector<CallOnNode>;  // by node

class SampledCalls {
 public:
  explicit SampledCalls(const ArrivalSamples& samples);
  SampledCalls(const SampledCalls&) = delete;
  SampledCalls& operator=(const SampledCalls&) = delete;

  // Visits the calls of the program that all of their processes timed.
  template <class Visit>
  void each(Visit&& visit) const {
    for (const SampledCall& call : calls_)
      if (call.front().last->sample->call >= ArrivalSample::first_call) visit(call);
  }
  // How many calls of a place were noted by anybody and timed, also those that may have ended before all had entered.
  std::uint64_t noted_at(std::uint64_t place) const {
    const auto found = noted_.find(place);
    return found == noted_.end() ? 0 : found->second;
  }

 private:
  // Clocks of two nodes run apart by less. Makers of crystals promise 50 ppm each; the rates were measured by the
  // system's clock, which may be slewed by 500 ppm.
  static constexpr double most_drift = 1200e-6;
  // By so much it may change in a run: counters are not slewed. The rest is a straight line, and taken out.
  static constexpr double most_change_of_drift = 5e-6;

  struct Clock {
    std::uint64_t base = 0;  // ticks
    bool has_base = false;
    double ns_a_tick = 0;
    double drift = most_drift;  // against the first node's clock, at most
  };

  void add(std::span<SampledEntry> group);
  bool are_comparable(const SampledCall& call) const;
  void bound_clocks();
  template <class Iterator>
  void sweep(Iterator at, Iterator end);
  bool take_out_drift();
  void forget_bounds();

  std::map<std::uint32_t, Clock> clocks_;
  std::map<std::uint64_t, std::uint64_t> noted_;
  std::vector<SampledEntry> entries_;
  std::vector<SampledCall> calls_;
  bool are_clocks_sound_ = true;
};

}  // namespace marshal::report
