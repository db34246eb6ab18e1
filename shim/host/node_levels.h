// The levels above the job's nodes, by MARSHAL_TOPOLOGY_FILE: switches, and switches of switches.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include "host/joint_work.h"
#include "mapping/levels_above.h"
#include "mapping/placement.h"

namespace marshal {

// Outermost first, for the nodes of node_map(). The same on all processes, and constant after init. Empty: none are
// known, or MARSHAL_CART_LEVELS does not ask for them.
const std::vector<mapping::NodeLevel>& node_levels();

// The same for processes whose nodes are these.
std::vector<mapping::Level> levels_above(std::span<const std::int32_t> node_of_rank);

// Rank 0 alone reads the file, and sends what it says to all. Nodes have the names of their hosts; those that
// MARSHAL_TOPOLOGY makes up are node0, node1 and so on. Where the file cannot be used, rank 0 says why in one line, and
// there are no levels. Collective over the work's communicator, after learn_nodes().
void learn_node_levels(JointWork& all);

}  // namespace marshal
