// The order of a job's ranks that is best for what a run sent, beside the one that the launcher gives them.
#pragma once

#include <string>

#include "mapping/plan_order.h"
#include "mapping/prediction.h"
#include "tools/order/node_traffic.h"
#include "tools/order/places.h"
#include "traffic/traffic.h"

namespace marshal::tools {

struct PlannedOrder {
  mapping::Order order;
  NodeTraffic before, after;
  mapping::Prediction predicted_before, predicted_after;
  std::string reason_to_stay;  // as worth_moving.h judges; empty where nothing moves, too
};

// Throws std::invalid_argument for traffic that is too large to add up.
PlannedOrder find_order(const traffic::Matrix& traffic, const Places& places, const mapping::OrderRules& rules,
                        const mapping::Machine& machine);

}  // namespace marshal::tools
