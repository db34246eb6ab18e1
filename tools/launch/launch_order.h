// The order of the ranks for a launch: from what a run sent, for the nodes that the launcher will use.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/kept_traffic.h"
#include "tools/launch/launcher_command.h"
#include "tools/launch/node_list.h"
#include "tools/order/node_traffic.h"
#include "tools/order/places.h"

namespace marshal::tools {

struct LaunchOrder {
  std::string why_not;  // the launcher's order stays, as a phrase; empty: another one is better
  Places places;        // and the launcher's order
  std::vector<std::int32_t> place_of_rank;
  NodeTraffic before, after;
};

// Why nobody but the user may place these ranks, as a phrase; empty: Marshal may.
std::string why_not_to_be_placed(const LauncherCommand& command, const traffic::Job& measured);

// `topology_file`: of the switches above the nodes; empty: none. A wrong one is a line, and none. Throws
// std::invalid_argument for traffic that is too large to add up.
LaunchOrder find_launch_order(const traffic::Matrix& traffic, const NodeList& nodes, const std::string& topology_file);

// The order that a file names, a host for each rank, one a line. Throws std::invalid_argument.
LaunchOrder read_launch_order(const std::string& path, std::int32_t ranks);

}  // namespace marshal::tools
