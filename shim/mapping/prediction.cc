#include "mapping/prediction.h"

#include <algorithm>

namespace marshal::mapping {

std::string_view name_of(Limit limit) { return limit == Limit::network ? "network" : "processes"; }

Prediction predict_exchange(const Metrics& metrics, const Machine& machine) {
  const double of_process = static_cast<double>(metrics.most_weight) * machine.bytes_per_weight / machine.process_rate;
  const double of_node = static_cast<double>(metrics.jmax) * machine.bytes_per_weight / machine.node_rate;
  return {static_cast<double>(metrics.most_partners) * machine.latency + std::max(of_process, of_node),
          of_node > of_process ? Limit::network : Limit::processes};
}

}  // namespace marshal::mapping
