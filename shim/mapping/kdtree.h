// Halves the grid down to single cells, and cuts the order of the leaves at node sizes (the k-d tree algorithm of
// Hunold et al., CLUSTER 2020). Always halves the dimension that is longest for how many stencil steps go along it.
#pragma once

#include "mapping/problem.h"

namespace marshal::mapping {

MapperResult kdtree(const Problem& problem);

}  // namespace marshal::mapping
