#include <fmt/ranges.h>

#include <numeric>

#include "mapping/box.h"
#include "mapping/mappers.h"

namespace marshal::mapping {
namespace {

std::vector<int> prime_factors_descending(std::int32_t number) {
  std::vector<int> factors;
  for (int p = 2; static_cast<std::int64_t>(p) * p <= number; ++p)
    for (; number % p == 0; number /= p) factors.insert(factors.begin(), p);
  if (number > 1) factors.insert(factors.begin(), number);
  return factors;
}

}  // namespace

std::optional<std::vector<int>> nodecart_brick(const Grid& grid, std::int32_t node_size, Ties ties) {
  std::vector<int> brick(grid.dims.size(), 1);
  std::vector<int> remaining = grid.dims;
  for (const int factor : prime_factors_descending(node_size)) {
    std::size_t chosen = remaining.size();
    for (std::size_t d = 0; d < remaining.size(); ++d) {
      if (remaining[d] % factor != 0) continue;
      const bool better = chosen == remaining.size() || remaining[d] > remaining[chosen] ||
                          (ties == Ties::last && remaining[d] == remaining[chosen]);
      if (better) chosen = d;
    }
    if (chosen == remaining.size()) return std::nullopt;
    brick[chosen] *= factor;
    remaining[chosen] /= factor;
  }
  return brick;
}

MapperResult nodecart(const Problem& problem) {
  MapperResult result;
  const std::int32_t node_size = equal_node_size(problem).value();
  const auto brick = nodecart_brick(problem.grid, node_size, problem.ties);
  if (!brick) {
    result.why_not = fmt::format("the prime factors of {} processes a node do not divide the dimensions {}", node_size,
                                 fmt::join(problem.grid.dims, "x"));
    return result;
  }
  result.node_of_cell.resize(static_cast<std::size_t>(problem.cells()));
  std::vector<std::int64_t> strides = row_major_strides(problem.grid);
  std::vector<std::size_t> order(brick->size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto cells_of_brick = walk_in_order(*brick, strides, order, false);
  std::vector<int> bricks = problem.grid.dims;
  for (std::size_t d = 0; d < brick->size(); ++d) {
    bricks[d] /= (*brick)[d];
    strides[d] *= (*brick)[d];
  }
  // Node k, in the given order, takes brick k in row-major order of the grid of bricks.
  const auto shares = node_shares(problem);
  NodeFiller filler(shares, result.node_of_cell);
  for (const std::int32_t corner : walk_in_order(bricks, strides, order, false))
    filler.path(corner, cells_of_brick, false);
  result.detail = fmt::format("{} a node", fmt::join(*brick, "x"));
  return result;
}

}  // namespace marshal::mapping
