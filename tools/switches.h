// The switches above nodes, as a user describes them by --topology-file.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mapping/levels_above.h"

namespace marshal::tools {

inline constexpr const char* topology_file_help =
    "the switches above the nodes, as Slurm's topology.conf or lines as switch: node,node";

// The levels above these nodes, outermost first. Throws std::invalid_argument if the file cannot be read, describes no
// tree, or lacks a node.
std::vector<mapping::NodeLevel> levels_in_file(const std::string& path, std::span<const std::string> nodes);

}  // namespace marshal::tools
