// The order of the ranks over a machine, from the traffic between them: which place each rank should get at launch, so
// that few bytes leave the nodes. The counterpart of plan_cart.h for programs that never ask for a grid.
//
// It minimises the weight of the pairs on different nodes; of equal orders it takes the one whose busiest node
// exchanges least. Several methods compete: the order given, SCOTCH, growing, and the mappers of grids if the traffic
// is a grid's. Exchanges and annealing improve the best of them. The order given takes part, and neither the weight
// between nodes nor that of the busiest node ever becomes larger. The answer depends on the request and the version of
// SCOTCH only: work is counted, never timed.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mapping/neighbour_lists.h"

namespace marshal::mapping {

struct OrderRules {
  bool with_grid = true, with_scotch = true;
  // Neighbours that all annealing runs may look at together, about 4 ns each; 0: no annealing.
  std::int64_t looks = 800'000'000;
};

// A level inside the nodes (packages, NUMA domains, shared caches), outermost first: for each place of the machine the
// domain that it lies in; places of different nodes never share one.
struct PlaceLevel {
  std::string name;
  std::vector<std::int32_t> domain_of_place;
};

struct OrderRequest {
  // The traffic between the ranks; cells are ranks here.
  const NeighbourLists& traffic;
  // Places on each node. Places are numbered through all nodes, in this order.
  std::span<const std::int32_t> capacity;
  std::span<const std::int32_t> given;  // place of each rank
  std::span<const PlaceLevel> levels;
  OrderRules rules;
};

// Weight that crosses nodes, each pair once.
struct Crossing {
  std::int64_t between_nodes = 0;
  std::int64_t busiest_node = 0;  // in and out
  auto operator<=>(const Crossing&) const = default;
};
Crossing crossing_of(const NeighbourLists& traffic, std::span<const std::int32_t> node_of_rank, std::int32_t nodes);

struct OrderEntry {
  std::string method;  // "given", "grid 4x4: search", "scotch", "growing"; "… + exchanges + annealing"
  Crossing crossing;
  std::string why_not;  // where it did not take part
};

struct Order {
  std::vector<std::int32_t> place_of_rank;  // a permutation into the places
  Crossing before, after;
  std::vector<std::int64_t> level_before, level_after;  // weight between domains of one node, for each level
  std::vector<OrderEntry> entries;                      // best first
  bool moved = false;
};

// Throws std::invalid_argument where there are fewer places than ranks, or `given` is no list of different places.
Order plan_order(const OrderRequest& request);

}  // namespace marshal::mapping
