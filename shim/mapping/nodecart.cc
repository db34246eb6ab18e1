#include "mapping/nodecart.h"

#include <fmt/ranges.h>

#include <functional>
#include <limits>
#include <numeric>

#include "mapping/box.h"
#include "mapping/node_filler.h"

namespace marshal::mapping {
namespace {

std::vector<int> prime_factors_descending(std::int32_t number) {
  std::vector<int> factors;
  for (int p = 2; static_cast<std::int64_t>(p) * p <= number; ++p)
    for (; number % p == 0; number /= p) factors.insert(factors.begin(), p);
  if (number > 1) factors.insert(factors.begin(), number);
  return factors;
}

// Node k, in the given order, takes brick k in row-major order of the grid of bricks.
MapperResult lay_bricks(const Problem& problem, const std::vector<int>& brick) {
  MapperResult result;
  result.node_of_cell.resize(static_cast<std::size_t>(problem.cells()));
  std::vector<std::int64_t> strides = row_major_strides(problem.grid);
  std::vector<std::size_t> order(brick.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto cells = walk_in_order(brick, strides, order, false);
  std::vector<int> bricks = problem.grid.dims;
  for (std::size_t d = 0; d < brick.size(); ++d) {
    bricks[d] /= brick[d];
    strides[d] *= brick[d];
  }
  const auto shares = node_shares(problem);
  NodeFiller filler(shares, result.node_of_cell);
  for (const std::int32_t corner : walk_in_order(bricks, strides, order, false)) filler.path(corner, cells, false);
  result.detail = fmt::format("{} a node", fmt::join(brick, "x"));
  return result;
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
  const std::int32_t node_size = equal_node_size(problem).value();
  if (const auto brick = nodecart_brick(problem.grid, node_size, problem.ties)) return lay_bricks(problem, *brick);
  return {{},
          fmt::format("the prime factors of {} processes a node do not divide the dimensions {}", node_size,
                      fmt::join(problem.grid.dims, "x")),
          {}};
}

std::int64_t jsum_of_bricks(const Grid& grid, const Stencil& stencil, std::span<const int> brick) {
  // A pair stays in its brick if it does in every dimension, and the dimensions are independent: all pairs and those
  // that stay are products of one-dimensional counts.
  std::int64_t sum = 0;
  for (const Step& step : stencil.steps) {
    std::int64_t all = 1, inside = 1;
    for (std::size_t d = 0; d < grid.dims.size(); ++d) {
      const int length = grid.dims[d];
      std::int64_t here = 0, here_inside = 0;
      for (int i = 0; i < length; ++i) {
        std::int64_t to = static_cast<std::int64_t>(i) + step.offset[d];
        if (grid.periodic[d]) {
          to = ((to % length) + length) % length;
        } else if (to < 0 || to >= length) {
          continue;
        }
        ++here;
        here_inside += to / brick[d] == i / brick[d] ? 1 : 0;
      }
      all *= here;
      inside *= here_inside;
    }
    sum += (all - inside) * step.weight;
  }
  return sum;
}

MapperResult best_brick(const Problem& problem) {
  const std::int32_t node_size = equal_node_size(problem).value();
  std::vector<int> brick(problem.grid.dims.size(), 1), best;
  std::int64_t best_jsum = std::numeric_limits<std::int64_t>::max();
  const std::function<void(std::size_t, std::int32_t)> choose = [&](std::size_t dim, std::int32_t left) {
    if (dim == brick.size()) {
      if (left != 1) return;
      const std::int64_t jsum = jsum_of_bricks(problem.grid, problem.stencil, brick);
      if (jsum < best_jsum) {
        best_jsum = jsum;
        best = brick;
      }
      return;
    }
    for (int length = 1; length <= left && length <= problem.grid.dims[dim]; ++length) {
      if (left % length != 0 || problem.grid.dims[dim] % length != 0) continue;
      brick[dim] = length;
      choose(dim + 1, left / length);
    }
    brick[dim] = 1;
  };
  choose(0, node_size);
  if (!best.empty() || node_size == 1) return lay_bricks(problem, best);
  return {{},
          fmt::format("no brick of {} cells divides the dimensions {}", node_size, fmt::join(problem.grid.dims, "x")),
          {}};
}

}  // namespace marshal::mapping
