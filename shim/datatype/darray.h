// The part of one dimension of a distributed array that one process owns (MPI 4.0, section 5.1.4).
#pragma once

#include <cstdint>
#include <vector>

namespace marshal::datatype {

enum class Distribution { none, block, cyclic };
inline constexpr std::int64_t default_argument = -1;  // MPI_DISTRIBUTE_DFLT_DARG

// Indices `first + i * stride + j` for i < blocks and j < length, then `tail` more from `tail_first` on.
struct OwnedIndices {
  std::int64_t first, blocks, length, stride;
  std::int64_t tail_first, tail;
};

OwnedIndices owned_indices(std::int64_t gsize, Distribution distribution, std::int64_t argument, std::int64_t psize,
                           std::int64_t coordinate);

// Coordinates of `rank` in the process grid, the last dimension varying fastest whatever the order of the array.
std::vector<std::int64_t> grid_coordinates(std::int64_t rank, const std::vector<std::int64_t>& psizes);

}  // namespace marshal::datatype
