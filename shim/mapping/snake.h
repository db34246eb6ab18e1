// A walk over the grid that keeps consecutive cells together. The grid is cut into strips along one dimension, and the
// strips are walked like a snake. Within a strip slab follows slab, each walked like a snake again. The walk is cut at
// the node sizes, which may differ: every node gets a compact piece. With strips of the right shape this is the idea of
// the stencil strips algorithm of Hunold et al. (CLUSTER 2020); `search` tries all shapes near the ideal one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mapping/problem.h"

namespace marshal::mapping {

// How a dimension is cut into strips: by `height`, the last one lower if need be, or into `count` strips as equal as
// can be.
struct StripCut {
  int height = 0;
  int count = 0;  // 0: by height

  static StripCut by_height(int height) { return {height, 0}; }
  static StripCut evenly(int count) { return {0, count}; }
};

struct SnakeShape {
  int along = 0;               // the dimension that strips run along
  std::vector<StripCut> cuts;  // one a dimension; that of `along` is unused
  bool turning = true;         // every other slab is walked backwards
  bool swapped = false;        // slabs are walked with the first dimension fastest, not the last
};

std::string describe(const SnakeShape& shape);

void walk_snake(const Grid& grid, const SnakeShape& shape, std::span<const NodeShare> shares,
                std::span<std::int32_t> node_of_cell);

// The strips algorithm as published: along the longest dimension, heights from the shape of the stencil.
MapperResult strips(const Problem& problem);

// The shape of the ideal brick of one node, of real side lengths: sides in proportion to what a unit of surface costs
// in each dimension, but none longer than the grid.
std::vector<double> ideal_sides(const Problem& problem);

// The shapes worth trying, the most promising first, at most `limit` of them. The same list on every machine.
std::vector<SnakeShape> promising_shapes(const Problem& problem, std::size_t limit);

}  // namespace marshal::mapping
