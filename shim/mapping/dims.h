// Dimensions for a number of processes, in the place of MPI_Dims_create: the most balanced exact factorization, or the
// one on which nodes of a given size have the fewest off-node pairs. As the standard asks, given dimensions stay, and
// those filled in do not increase.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace marshal::mapping {

enum class DimsRule { balanced, node };

// dims[d] = 0: to be filled in. Nothing if the processes are not a multiple of the given dimensions, a dimension is
// negative, or none is to be filled in: then the host answers. `node_size` is for DimsRule::node; at most 1 means not
// known.
std::optional<std::vector<int>> complete_dims(int processes, std::span<const int> dims, DimsRule rule,
                                              std::int32_t node_size);

}  // namespace marshal::mapping
