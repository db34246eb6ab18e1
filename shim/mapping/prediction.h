// A prediction, not a measurement, of how long one halo exchange takes, by the max-rate model (Gropp, Olson, Samfass,
// "Modeling MPI Communication Performance on SMP Nodes", EuroMPI 2016): a process moves its messages, to any
// partner, at a rate of its own; all processes of a node share its network interface; the slower of both decides. An
// order of the processes only changes what the busiest node sends, so the prediction never rises unless Jmax does.
#pragma once

#include <algorithm>
#include <string_view>

#include "mapping/metrics.h"

namespace marshal::mapping {

// By default, a common machine. Its network has 100 Gbit/s a node, and one process alone can fill it with large
// messages. A copy from one process to another on the node is about as fast (9 and 12 GB/s, measured with 64 and 256
// KiB).
struct Machine {
  double node_rate = 12.5e9;     // bytes a second that leave a node at most
  double process_rate = 10.0e9;  // bytes a second that one process moves, within its node or to others
  double latency = 1.5e-6;       // seconds a message
  double bytes_per_weight = 65536;
};

enum class Limit { network, processes };
constexpr std::string_view name_of(Limit limit) { return limit == Limit::network ? "network" : "processes"; }

struct Prediction {
  double seconds = 0;
  Limit limit = Limit::processes;  // which of the two rates decides; where it is the processes', Jmax hardly matters
};

// Every process sends once along every step of the stencil.
inline Prediction predict_exchange(const Metrics& metrics, const Machine& machine) {
  const double of_process = static_cast<double>(metrics.most_weight) * machine.bytes_per_weight / machine.process_rate;
  const double of_node = static_cast<double>(metrics.jmax) * machine.bytes_per_weight / machine.node_rate;
  return {static_cast<double>(metrics.most_partners) * machine.latency + std::max(of_process, of_node),
          of_node > of_process ? Limit::network : Limit::processes};
}

}  // namespace marshal::mapping
