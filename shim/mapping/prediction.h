// A prediction, not a measurement, of how long one halo exchange takes, by the max-rate model (Gropp, Olson, Samfass,
// "Modeling MPI Communication Performance on SMP Nodes", EuroMPI 2016): a process moves its messages, to whomever, at a
// rate of its own, all processes of a node share its network interface, and the slower of both decides. What an order
// of the processes changes is what the busiest node sends: the prediction never rises unless Jmax does.
#pragma once

#include <cstdint>

#include "mapping/metrics.h"

namespace marshal::mapping {

struct Machine {
  double node_rate = 12.5e9;    // bytes a second that leave a node at most
  double process_rate = 5.0e9;  // bytes a second that one process moves, within its node or to others
  double latency = 1.5e-6;      // seconds a message
  double bytes_per_weight = 65536;
};

// Seconds for every process to send once along every step of the stencil.
double predicted_exchange_time(const Metrics& metrics, const Machine& machine);

}  // namespace marshal::mapping
