#include "tools/bench_cart/expected_times.h"

#include <algorithm>

#include "mapping/metrics.h"
#include "mapping/problem.h"

namespace marshal::tools {

Expected expected_time(const Exchange& exchange, const std::vector<std::int32_t>& nodes) {
  const auto ndims = static_cast<int>(exchange.dims.size());
  const mapping::Grid grid = mapping::make_grid(exchange.dims, std::vector<int>(exchange.dims.size(), 0));
  const auto problem = mapping::make_problem(grid, mapping::star_stencil(ndims, exchange.bytes), nodes);
  const auto most_sent = traffic_of(problem.grid, problem.stencil, problem.given, problem.nodes()).jmax;
  return {std::max(exchange.within_seconds, static_cast<double>(most_sent) / exchange.node_rate),
          traffic_of(grid, mapping::star_stencil(ndims), problem.given, problem.nodes()).jmax};
}

std::vector<std::int64_t> bytes_of_borders(const std::vector<int>& dims, std::int64_t points) {
  constexpr std::int64_t bytes_of_double = 8;
  return {points / dims[1] * bytes_of_double, points / dims[0] * bytes_of_double};
}

}  // namespace marshal::tools
