// A Cartesian grid of processes: its dimensions, slowest first, and which of them wrap around. Cells are numbered in
// row-major order, as MPI numbers the ranks of a Cartesian communicator. Any number of dimensions, also none (one
// cell); a dimension of 0 makes a grid without cells.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace marshal::mapping {

struct Grid {
  std::vector<int> dims;
  std::vector<bool> periodic;  // as long as dims

  int ndims() const { return static_cast<int>(dims.size()); }
  int length(int dim) const { return dims[static_cast<std::size_t>(dim)]; }
  bool wraps(int dim) const { return periodic[static_cast<std::size_t>(dim)]; }
  std::int64_t cells() const;
  bool operator==(const Grid&) const = default;
};

// Throws std::invalid_argument for a negative dimension, lengths that differ, or more than 2^31 - 1 cells.
Grid make_grid(std::span<const int> dims, std::span<const int> periods);

// Distance in cells between neighbours in each dimension.
std::vector<std::int64_t> row_major_strides(const Grid& grid);

void coordinates_of(const Grid& grid, std::int64_t cell, std::span<int> coordinates);

}  // namespace marshal::mapping
