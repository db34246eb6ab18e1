// A bound that no assignment can go below. A set of n cells has projections p_1 … p_D along the axes with Π p_d >=
// n^(D-1) (Loomis and Whitney, 1949). In each dimension it has at least 2 p_d faces, at the border of the grid or
// towards another node. The bound counts only the stencil's steps along axes, so it holds for every stencil; it is
// tight for the star.
#pragma once

#include <cstdint>

#include "mapping/problem.h"

namespace marshal::mapping {

// A lower bound of Jsum, at least 0.
std::int64_t jsum_lower_bound(const Problem& problem);

}  // namespace marshal::mapping
