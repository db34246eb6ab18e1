// The package, NUMA domain and third-level cache that each process of this node is bound to.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "host/joint_work.h"
#include "mapping/placement.h"
#include "rankmap/rank_map.h"

namespace marshal {

// True if this process is bound to a part of its node, and MARSHAL_CART_LEVELS asks for levels inside nodes: then its
// place matters. If MARSHAL_TOPOLOGY describes the inside of the nodes, every process counts as bound. Local.
bool is_bound();

// The levels that MARSHAL_CART_LEVELS asks for, with the domains of the communicator's processes on this process's own
// node; -1 for all others. Collective over the work's communicator. hwloc is loaded by one process a node.
std::vector<mapping::Level> learn_domains(JointWork& all, const RankMap& map);

}  // namespace marshal
