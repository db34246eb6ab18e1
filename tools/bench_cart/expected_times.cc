#include "tools/bench_cart/expected_times.h"

#include "mapping/metrics.h"
#include "mapping/prediction.h"
#include "mapping/problem.h"

namespace marshal::tools {

Expected expected_time(const Exchange& exchange, const std::vector<std::int32_t>& nodes) {
  const auto ndims = static_cast<int>(exchange.dims.size());
  const mapping::Grid grid = mapping::make_grid(exchange.dims, std::vector<int>(exchange.dims.size(), 0));
  const auto problem = mapping::make_problem(grid, mapping::star_stencil(ndims, exchange.bytes), nodes);
  const mapping::Metrics in_bytes = measure(problem.grid, problem.stencil, problem.given, problem.nodes());
  mapping::Machine machine;
  machine.latency = 0;
  machine.bytes_per_weight = 1;
  machine.node_rate = exchange.node_rate;
  return {exchange.empty_seconds + predict_exchange(in_bytes, machine).seconds,
          jmax_of(grid, mapping::star_stencil(ndims), problem.given, problem.nodes())};
}

std::vector<std::int64_t> bytes_of_borders(const std::vector<int>& dims, std::int64_t points) {
  constexpr std::int64_t bytes_of_double = 8;
  return {points / dims[1] * bytes_of_double, points / dims[0] * bytes_of_double};
}

}  // namespace marshal::tools
