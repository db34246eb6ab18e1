// Divides ranks among the parts of a machine, level by level from the outside in (SharedMap: hierarchical
// multisection). At each level the methods of race.h compete for the parts of one domain. Sizes are exact.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mapping/neighbour_lists.h"

namespace marshal::mapping {

// A level of a machine, as packages, NUMA domains, shared caches: for each place of the machine the domain that it lies
// in. A list of them has the outermost first; places of different domains never share one of a later level.
struct PlaceLevel {
  std::string name;
  std::vector<std::int32_t> domain_of_place;
};

class Division {
 public:
  static constexpr std::int64_t most_looks_a_rank = 100'000;

  // All must outlive the division. `looks_a_rank`: neighbours that annealing may look at for each rank, at each level.
  Division(const NeighbourLists& traffic, std::span<const PlaceLevel> levels, std::int64_t looks_a_rank,
           std::vector<std::int32_t>& place_of_rank)
      : traffic_(traffic),
        levels_(levels),
        looks_a_rank_(looks_a_rank),
        place_of_rank_(place_of_rank),
        local_(static_cast<std::size_t>(traffic.cells()), -1) {}

  // Gives the ranks of one domain its places. There are as many places as ranks or more; both lists ascend.
  void fill(std::span<const std::int32_t> ranks, std::span<const std::int32_t> places, std::size_t depth = 0);

 private:
  std::vector<std::int32_t> divide(std::span<const std::int32_t> ranks,
                                   const std::vector<std::vector<std::int32_t>>& places_of);

  const NeighbourLists& traffic_;
  std::span<const PlaceLevel> levels_;
  const std::int64_t looks_a_rank_;
  std::vector<std::int32_t>& place_of_rank_;
  std::vector<std::int32_t> local_;  // number of a rank in the part being divided
};

}  // namespace marshal::mapping
