// The package, NUMA domain and third-level cache that each process of this node is bound to.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "host/joint_work.h"
#include "mapping/placement.h"
#include "rankmap/rank_map.h"

namespace marshal {

// Whether this process runs on a part of its node only, so that its place matters. A made-up inside of the node
// (MARSHAL_TOPOLOGY) binds every process. Local.
bool is_bound();

// The levels that MARSHAL_CART_LEVELS asks for, with the domains of the communicator's processes on this process's own
// node; -1 for all others. Collective over the work's communicator. hwloc is loaded by one process a node.
std::vector<mapping::Level> learn_domains(JointWork& all, const RankMap& map);

}  // namespace marshal
