// Improving an assignment by exchanging cells between nodes, by simulated annealing: small losses are accepted at
// first, ever smaller ones later. All in integers and with a generator of its own, so that the same plan gives the same
// answer on every machine; therefore bounded by a number of exchanges tried, not by a clock.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "mapping/neighbour_lists.h"

namespace marshal::mapping {

// Beyond this size every neighbour is a cache miss, and annealing would need more of them than it is worth.
inline constexpr std::int64_t most_cells_to_anneal = 100'000;
inline constexpr std::int64_t exchanges_per_cell = 4000;

struct AnnealingPlan {
  std::uint64_t seed = 1;
  std::int64_t exchanges = 0;  // tried, about 25 ns each
  // Losses accepted with probability 1/e at the start and at the end, in hundredths of an average pair's weight.
  int hot = 100;
  int cold = 15;
  // Only assignments with no larger Jmax count; exact for stencils whose steps have their opposites.
  std::int64_t jmax_limit = std::numeric_limits<std::int64_t>::max() / 2;
};

// Returns the assignment of the least Jsum met within the limit (the start, if nothing was better). `capacity`: cells
// that each node takes at most.
std::vector<std::int32_t> anneal(const NeighbourLists& neighbours, std::span<const std::int32_t> capacity,
                                 std::vector<std::int32_t> start, const AnnealingPlan& plan);

}  // namespace marshal::mapping
