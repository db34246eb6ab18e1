// The traffic of a halo exchange on a grid whose ranks are numbered in row-major order, for planning without a run.
#pragma once

#include "mapping/grid.h"
#include "mapping/stencil.h"
#include "traffic/traffic.h"

namespace marshal::tools {

// One exchange: each process sends one message of weight × `bytes_per_weight` along every step of the stencil.
traffic::Matrix traffic_of_grid(const mapping::Grid& grid, const mapping::Stencil& stencil, double bytes_per_weight);

}  // namespace marshal::tools
