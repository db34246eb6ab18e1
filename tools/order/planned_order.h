// The order of a job's ranks that is best for what a run sent, beside the one that the launcher gives them; and whether
// it is worth taking, by what the run says of itself. Fewer bytes alone are not enough: the bytes of a collective have
// no pairs, so the order was found without them.
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
  std::string reason_to_stay;  // as below; empty where nothing moves, too
};

// Throws std::invalid_argument for traffic that is too large to add up.
PlannedOrder find_order(const traffic::Matrix& traffic, const Places& places, const mapping::OrderRules& rules,
                        const mapping::Machine& machine);

struct OrderGain {
  double bytes_before = 0, bytes_after = 0;      // between nodes
  double seconds_before = 0, seconds_after = 0;  // predicted
  double collectives_in_parts = 0;               // bytes on communicators of some of the processes
};

// Facts that the run states about itself; 0 where it does not.
double run_seconds(const traffic::Job& job);
double collectives_in_parts(const traffic::Job& job);

// Part of the run's time from which on a prediction can show beside what differs from run to run. Less is no reason to
// stay: the prediction is for a network that the user may not have.
inline constexpr double least_part_of_run = 0.01;

// The reason to keep the order given; empty: the order found is worth taking. An order that moves nothing between nodes
// always is.
std::string reason_to_stay(const OrderGain& gain);

}  // namespace marshal::tools
