#include "mapping/prediction.h"

namespace marshal::mapping {

double predicted_exchange_time(const Metrics& metrics, const Machine& machine) {
  if (metrics.on_node.max + metrics.off_node.max == 0) return 0.0;
  const double messages = static_cast<double>(metrics.on_node.max + metrics.off_node.max);
  const double on_network = static_cast<double>(metrics.jmax) * machine.bytes_per_weight / machine.node_rate;
  const double in_memory = static_cast<double>(metrics.on_node.max) * machine.bytes_per_weight / machine.process_rate;
  return messages * machine.latency + on_network + in_memory;
}

}  // namespace marshal::mapping
