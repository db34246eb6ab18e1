// Most programs number the processes of a grid in row-major order and exchange with neighbours at constant distances,
// without ever telling MPI. Finds that grid and its stencil in the traffic, so that the mappers of grids can serve it.
#pragma once

#include <optional>

#include "mapping/grid.h"
#include "mapping/neighbour_lists.h"
#include "mapping/stencil.h"

namespace marshal::mapping {

struct FoundGrid {
  Grid grid;
  Stencil stencil;     // mean weights, scaled to at most 2^20
  double share = 0.0;  // of the traffic's weight that follows the stencil
};

// The grid of two to four dimensions over all cells whose stencil of short steps explains the traffic best; nothing
// where no grid explains nine tenths of its weight.
std::optional<FoundGrid> find_grid(const NeighbourLists& neighbours);

}  // namespace marshal::mapping
