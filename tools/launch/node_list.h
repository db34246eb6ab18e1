// The nodes that a launcher will use, and how many ranks each takes: from its options, else from the batch system.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/launch/launcher_command.h"
#include "tools/order/places.h"

namespace marshal::tools {

struct NodeList {
  std::vector<Host> hosts;
  bool has_places = true;   // false: it does not say how many ranks each takes
  bool may_differ = false;  // a node may get fewer or more ranks than it has places
  bool cycles = false;      // ranks that do not fit begin again at the first node
  std::string why_not{};    // the nodes are not known, as a phrase: then there are no hosts
};

// Reads files and variables that the launcher would read. Never throws.
NodeList nodes_of(const LauncherCommand& command);

// Slurm's counts, "4(x3),2" as 4, 4, 4, 2. Throws std::invalid_argument.
std::vector<std::int32_t> expand_counts(std::string_view text);

// The ranks of each node as srun deals them out: in turn, as long as a node has CPUs for one more; then they are
// numbered node by node. More ranks than CPUs go on in turn.
std::vector<std::int32_t> ranks_by_slurm(const std::vector<std::int32_t>& cpus, std::int32_t ranks);

}  // namespace marshal::tools
