// The order of the ranks over a machine, from the traffic between them: which place each rank should get at launch, so
// that few bytes leave the nodes. The counterpart of plan_cart.h for programs that never ask for a grid.
//
// It minimises the weight of the pairs on different nodes; of equal orders it takes the one whose busiest node
// exchanges least. Several methods compete: the order given, SCOTCH, growing, and the mappers of grids if the traffic
// is a grid's. Exchanges and annealing improve the best of them. The order given takes part, and neither the weight
// between nodes nor that of the busiest node ever becomes larger. With levels above the nodes, that holds at each of
// them, too, and the weights of levels_above.h say which order is the best. The answer depends on the request and the
// version of SCOTCH only: work is counted, never timed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mapping/division.h"
#include "mapping/levels_above.h"
#include "mapping/neighbour_lists.h"
#include "mapping/race.h"

namespace marshal::mapping {

struct OrderRequest {
  // The traffic between the ranks; cells are ranks here.
  const NeighbourLists& traffic;
  // Places on each node. Places are numbered through all nodes, in this order.
  std::span<const std::int32_t> capacity;
  std::span<const std::int32_t> given;  // place of each rank
  std::span<const PlaceLevel> levels;   // inside the nodes
  OrderRules rules;
  std::span<const NodeLevel> above{};  // above the nodes, outermost first
};

struct Order {
  std::vector<std::int32_t> place_of_rank;  // a permutation into the places
  Crossing before, after;
  std::vector<Crossing> above_before, above_after;      // at each level above the nodes
  std::vector<std::int64_t> level_before, level_after;  // weight between domains of one node, for each level
  std::vector<OrderEntry> entries;                      // best first
  bool moved = false;
};

// Throws std::invalid_argument where there are fewer places than ranks, `given` is no list of different places, or a
// level above is not one of all nodes.
Order plan_order(const OrderRequest& request);

}  // namespace marshal::mapping
