// Traffic that an order is found for: that of a grid, and a job's by pairs of nodes for one placement of the ranks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/grid.h"
#include "mapping/prediction.h"
#include "mapping/stencil.h"
#include "pages/heat_map.h"
#include "traffic/traffic.h"

namespace marshal::tools {

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

}  // namespace marshal::tools
