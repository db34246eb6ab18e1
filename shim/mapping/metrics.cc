#include "mapping/metrics.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "mapping/shifted_runs.h"

namespace marshal::mapping {
namespace {

// Four numbers in a vector register, in any alignment: every x86-64 and ARMv8 can compare and add four at once.
struct FourCells {
  using Vector = std::int32_t __attribute__((vector_size(16)));
  static constexpr std::int64_t count = 4;
  static Vector at(const std::int32_t* from) {
    Vector cells;
    std::memcpy(&cells, from, sizeof cells);
    return cells;
  }
  static void put(std::int32_t* to, Vector cells) { std::memcpy(to, &cells, sizeof cells); }
};

std::int64_t count_different(const std::int32_t* a, const std::int32_t* b, std::int64_t count) {
  FourCells::Vector lanes{};  // each counts less than the cells of a grid, which are numbered in 32 bits
  std::int64_t i = 0;
  for (; i + FourCells::count <= count; i += FourCells::count) lanes -= FourCells::at(a + i) != FourCells::at(b + i);
  std::int64_t total = 0;
  for (int k = 0; k < FourCells::count; ++k) total += lanes[k];
  for (; i < count; ++i) total += a[i] != b[i] ? 1 : 0;
  return total;
}

// The weight that each cell exchanges with partners on other nodes.
template <typename Sum>
std::vector<Sum> add_up_cells(const Grid& grid, const Stencil& stencil, NodeOfCell node_of_cell) {
  std::vector<Sum> sums(node_of_cell.size());
  for (const Step& step : stencil.steps)
    ShiftedRuns(grid, step.offset).for_each([&](std::int64_t first, std::int64_t shift, std::int64_t count) {
      const std::int32_t* here = node_of_cell.data() + first;
      Sum* to = sums.data() + first;
      const auto weight = static_cast<Sum>(step.weight);
      std::int64_t i = 0;
      if constexpr (std::is_same_v<Sum, std::int32_t>)
        for (; i + FourCells::count <= count; i += FourCells::count) {
          const auto differ = FourCells::at(here + i) != FourCells::at(here + shift + i);
          FourCells::put(to + i, FourCells::at(to + i) + (differ & weight));
        }
      for (; i < count; ++i) to[i] += here[i] != here[i + shift] ? weight : 0;
    });
  return sums;
}

template <typename Sum>
Traffic add_up_nodes(std::span<const Sum> cells, NodeOfCell node_of_cell, std::int32_t nodes) {
  std::vector<std::int64_t> leaving(static_cast<std::size_t>(nodes));
  for (std::size_t cell = 0; cell < cells.size(); ++cell)
    leaving[static_cast<std::size_t>(node_of_cell[cell])] += cells[cell];
  Traffic traffic;
  for (const std::int64_t of_node : leaving) {
    traffic.jsum += of_node;
    traffic.jmax = std::max(traffic.jmax, of_node);
  }
  return traffic;
}

std::int64_t total_weight(const Stencil& stencil) {
  std::int64_t total = 0;
  for (const Step& step : stencil.steps) total += step.weight;
  return total;
}

PartnerCount summarize(std::span<const std::int32_t> counts) {
  if (counts.empty()) return {};
  std::int32_t min = counts.front(), max = min;
  std::int64_t sum = 0;
  for (const std::int32_t count : counts) {
    min = std::min(min, count);
    max = std::max(max, count);
    sum += count;
  }
  return {min, max, sum};
}

}  // namespace

std::int64_t jsum_of(const Grid& grid, const Stencil& stencil, NodeOfCell node_of_cell) {
  return jsum_up_to(grid, stencil, node_of_cell, std::numeric_limits<std::int64_t>::max());
}

std::int64_t jsum_up_to(const Grid& grid, const Stencil& stencil, NodeOfCell node_of_cell, std::int64_t limit) {
  const std::int32_t* node = node_of_cell.data();
  // In a symmetric stencil each unordered pair is met twice: half of the steps tell all.
  const bool half = symmetric(stencil);
  const std::vector<int> nowhere(grid.dims.size());
  std::int64_t sum = 0;
  for (const Step& step : stencil.steps) {
    if (half && step.offset < nowhere) continue;
    std::int64_t different = 0;
    ShiftedRuns(grid, step.offset).for_each([&](std::int64_t first, std::int64_t shift, std::int64_t count) {
      different += count_different(node + first, node + first + shift, count);
    });
    sum += different * step.weight * (half ? 2 : 1);
    if (sum > limit) return sum;
  }
  return sum;
}

Traffic traffic_of(const Grid& grid, const Stencil& stencil, NodeOfCell node_of_cell, std::int32_t nodes) {
  const auto add_up = [&]<typename Sum>(Sum) {
    const auto cells = add_up_cells<Sum>(grid, stencil, node_of_cell);
    return add_up_nodes<Sum>(cells, node_of_cell, nodes);
  };
  return total_weight(stencil) <= std::numeric_limits<std::int32_t>::max() ? add_up(std::int32_t{})
                                                                           : add_up(std::int64_t{});
}

Metrics measure(const Grid& grid, const Stencil& stencil, NodeOfCell node_of_cell, std::int32_t nodes) {
  Metrics metrics;
  metrics.cells = grid.cells();
  std::vector<std::int32_t> apart(node_of_cell.size());  // each cell on a node of its own: then all pairs count
  std::iota(apart.begin(), apart.end(), 0);
  Stencil pairs = stencil;
  for (Step& step : pairs.steps) step.weight = 1;
  const auto off = add_up_cells<std::int32_t>(grid, pairs, node_of_cell);
  auto on = add_up_cells<std::int32_t>(grid, pairs, apart);
  metrics.most_partners = summarize(on).max;
  std::transform(on.begin(), on.end(), off.begin(), on.begin(), std::minus<>());
  metrics.on_node = summarize(on);
  metrics.off_node = summarize(off);
  const std::int64_t unit = stencil.steps.empty() ? 1 : stencil.steps.front().weight;
  if (std::ranges::all_of(stencil.steps, [&](const Step& step) { return step.weight == unit; })) {
    const Traffic traffic = add_up_nodes<std::int32_t>(off, node_of_cell, nodes);
    metrics.most_weight = metrics.most_partners * unit;
    metrics.jsum = traffic.jsum * unit;
    metrics.jmax = traffic.jmax * unit;
    return metrics;
  }
  for (const std::int64_t weight : add_up_cells<std::int64_t>(grid, stencil, apart))
    metrics.most_weight = std::max(metrics.most_weight, weight);
  const Traffic traffic = traffic_of(grid, stencil, node_of_cell, nodes);
  metrics.jsum = traffic.jsum;
  metrics.jmax = traffic.jmax;
  return metrics;
}

}  // namespace marshal::mapping
