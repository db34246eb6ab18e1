// The levels of the machine as the job knows them: above its nodes by MARSHAL_TOPOLOGY_FILE, switches and switches of
// switches; inside them by hwloc.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include "host/joint_work.h"
#include "mapping/levels_above.h"
#include "mapping/placement.h"
#include "rankmap/rank_map.h"

namespace marshal {

// Those above the nodes, outermost first, for the nodes of node_map(). The same on all processes, and constant after
// init. Empty: none are known, or MARSHAL_CART_LEVELS does not ask for them.
const std::vector<mapping::NodeLevel>& node_levels();

// The same for processes whose nodes are these.
std::vector<mapping::DomainLevel> levels_above(std::span<const std::int32_t> node_of_rank);

// Rank 0 alone reads the file, and sends what it says to all. Nodes have the names of their hosts; those that
// MARSHAL_TOPOLOGY makes up are node0, node1 and so on. Where the file cannot be used, rank 0 says why in one line, and
// there are no levels. Collective over the work's communicator, after learn_nodes().
void learn_node_levels(JointWork& all);

// Inside the nodes: the package, NUMA domain and third-level cache that each process is bound to.
//
// True if this process is bound to a part of its node, and MARSHAL_CART_LEVELS asks for levels inside nodes: then its
// place matters. If MARSHAL_TOPOLOGY describes the inside of the nodes, every process counts as bound. Local.
bool is_bound();

// The levels that MARSHAL_CART_LEVELS asks for, with the domains of the communicator's processes on this process's own
// node; -1 for all others. Collective over the work's communicator. hwloc is loaded by one process a node.
std::vector<mapping::DomainLevel> learn_domains(JointWork& all, const RankMap& map);

}  // namespace marshal
