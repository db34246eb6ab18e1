// The order of a job's ranks that is best for what a run sent, beside the one that the launcher gives them; and whether
// it is worth taking, by what the run says of itself. Fewer bytes alone are not enough: the bytes of a collective have
// no pairs, so the order was found without them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mapping/grid.h"
#include "mapping/plan_order.h"
#include "mapping/prediction.h"
#include "mapping/stencil.h"
#include "pages/pictures.h"
#include "tools/order/places.h"
#include "traffic/traffic.h"

namespace marshal::tools {

// Traffic that an order is found for: that of a grid, and a job's by pairs of nodes for one placement of the ranks.

// A halo exchange on a grid whose ranks are numbered in row-major order, for planning without a run: each process sends
// one message of weight × `bytes_per_weight` along every step of the stencil.
traffic::Matrix traffic_of_grid(const mapping::Grid& grid, const mapping::Stencil& stencil, double bytes_per_weight);

struct NodeTraffic {
  double bytes = 0, messages = 0;  // of all
  double bytes_between = 0, messages_between = 0;
  double busiest_node = 0;               // in and out
  double busiest_way = 0;                // in or out of one node, whichever is more
  double busiest_pair = 0;               // of nodes, both directions
  double busiest_rank = 0;               // bytes that one rank sends
  double most_messages = 0;              // of one rank
  std::vector<report::NodeBytes> pairs;  // of different nodes, directed, each once
};

NodeTraffic node_traffic(const traffic::Matrix& traffic, std::span<const std::int32_t> node_of_rank,
                         std::int32_t nodes);

// The time of all messages if every rank sends at once and nothing else disturbs (mapping/prediction.h).
mapping::Prediction predict_traffic(const NodeTraffic& traffic, const mapping::Machine& machine);

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
