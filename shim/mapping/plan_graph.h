// Which process plays which vertex of a graph topology: plan_order.h's mapper, for the processes of a communicator and
// the edges that the program gave. The answer depends on the request only: no library takes part that another machine
// may not have, and work is counted, never timed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mapping/cart_above.h"
#include "mapping/metrics.h"
#include "mapping/neighbour_lists.h"
#include "mapping/placement.h"

namespace marshal::mapping {

struct GraphRequest {
  // The traffic from one vertex to another; vertices are 0 … processes - 1. Without reordering rank r plays vertex r.
  std::span<const Sent> edges;
  std::span<const std::int32_t> node_of_rank;  // one for each vertex
  std::span<const DomainLevel> levels;         // inside the nodes; may be empty
  double min_gain_percent = 0;                 // less moves nobody
  std::int64_t looks = 100'000'000;            // as OrderRules::looks
  std::span<const DomainLevel> above{};        // above the nodes, outermost first
};

struct GraphOrder {
  std::vector<std::int32_t> new_rank;  // of each process: the vertex that it plays
  std::vector<std::int32_t> old_rank;  // of each vertex: the process that plays it
  bool moved = false;
  std::int64_t moved_ranks = 0;
  std::string method;            // whose order is in force: "given", "growing + exchanges" …
  std::string reason;            // why nobody moved; empty: they did
  Metrics before, after;         // sums over directed edges
  std::vector<AboveGain> above;  // at each level above the nodes
  std::int32_t nodes = 0;
  double seconds = 0;  // that the planning took
};

// Throws std::invalid_argument for edges of vertices that do not exist, or weights that are negative or too large to
// add up.
GraphOrder plan_graph(const GraphRequest& request);

}  // namespace marshal::mapping
