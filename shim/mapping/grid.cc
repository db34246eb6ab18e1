#include "mapping/grid.h"

#include <fmt/format.h>

#include <limits>
#include <stdexcept>

namespace marshal::mapping {

std::int64_t Grid::cells() const {
  std::int64_t product = 1;
  for (const int length : dims) product *= length;
  return product;
}

Grid make_grid(std::span<const int> dims, std::span<const int> periods) {
  if (dims.size() != periods.size())
    throw std::invalid_argument(
        fmt::format("a grid of {} dimensions needs as many periods, not {}", dims.size(), periods.size()));
  Grid grid;
  std::int64_t product = 1;
  bool empty = false;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] < 0) throw std::invalid_argument(fmt::format("dimension {} is negative: {}", d, dims[d]));
    empty = empty || dims[d] == 0;
    if (!empty) product *= dims[d];
    if (product > std::numeric_limits<std::int32_t>::max())
      throw std::invalid_argument("a grid has at most 2147483647 cells");
    grid.dims.push_back(dims[d]);
    grid.periodic.push_back(periods[d] != 0);
  }
  return grid;
}

std::vector<std::int64_t> row_major_strides(const Grid& grid) {
  std::vector<std::int64_t> strides(grid.dims.size());
  std::int64_t stride = 1;
  for (std::size_t d = grid.dims.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= grid.dims[d];
  }
  return strides;
}

void coordinates_of(const Grid& grid, std::int64_t cell, std::span<int> coordinates) {
  for (std::size_t d = grid.dims.size(); d-- > 0;) {
    coordinates[d] = static_cast<int>(cell % grid.dims[d]);
    cell /= grid.dims[d];
  }
}

}  // namespace marshal::mapping
