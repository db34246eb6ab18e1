#include "tools/order/grid_traffic.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace marshal::tools {

traffic::Matrix traffic_of_grid(const mapping::Grid& grid, const mapping::Stencil& stencil, double bytes_per_weight) {
  if (grid.cells() > traffic::most_processes) throw std::invalid_argument("--dims: more processes than can be");
  traffic::Matrix matrix;
  matrix.job.node_of_process.resize(static_cast<std::size_t>(grid.cells()));
  const std::vector<std::int64_t> strides = mapping::row_major_strides(grid);
  std::vector<int> here(static_cast<std::size_t>(grid.ndims()));
  std::vector<traffic::Sent> row;
  for (std::int64_t cell = 0; cell < grid.cells(); ++cell) {
    mapping::coordinates_of(grid, cell, here);
    row.clear();
    for (const mapping::Step& step : stencil.steps) {
      std::int64_t peer = 0;
      for (std::size_t d = 0; d < here.size() && peer >= 0; ++d) {
        const int length = grid.dims[d];
        int there = here[d] + step.offset[d];
        if (grid.periodic[d]) there = (there % length + length) % length;
        peer = there < 0 || there >= length ? -1 : peer + there * strides[d];
      }
      if (peer < 0 || peer == cell) continue;
      row.push_back({static_cast<std::uint32_t>(peer), 1,
                     static_cast<std::uint64_t>(std::llround(static_cast<double>(step.weight) * bytes_per_weight))});
    }
    std::sort(row.begin(), row.end(), [](const traffic::Sent& a, const traffic::Sent& b) { return a.peer < b.peer; });
    for (const traffic::Sent& sent : row) {
      const bool same = matrix.sent.size() > matrix.begin.back() && matrix.sent.back().peer == sent.peer;
      if (same) {
        ++matrix.sent.back().messages;
        matrix.sent.back().bytes += sent.bytes;
      } else {
        matrix.sent.push_back(sent);
      }
    }
    matrix.begin.push_back(matrix.sent.size());
  }
  return matrix;
}

}  // namespace marshal::tools
