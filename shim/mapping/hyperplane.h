// Splits the grid recursively by hyperplanes into parts that hold whole nodes. Source: the hyperplane algorithm of
// Hunold et al., "Efficient Process-to-Node Mapping Algorithms for Stencil Computations", CLUSTER 2020. Nodes may
// differ in size: the mean size guides the cuts.
#pragma once

#include "mapping/problem.h"

namespace marshal::mapping {

MapperResult hyperplane(const Problem& problem);

}  // namespace marshal::mapping
