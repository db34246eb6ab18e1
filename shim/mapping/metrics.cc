#include "mapping/metrics.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
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

// In a symmetric stencil each unordered pair is met twice: half of the steps tell all.
struct HalfStencil {
  std::vector<const Step*> steps;
  std::int64_t factor = 1;

  explicit HalfStencil(const Stencil& stencil) {
    const bool half = symmetric(stencil);
    factor = half ? 2 : 1;
    for (const Step& step : stencil.steps) {
      const auto first = std::find_if(step.offset.begin(), step.offset.end(), [](int o) { return o != 0; });
      if (!half || *first > 0) steps.push_back(&step);
    }
  }
};

// Pairs of cells, one this step from the other, on different nodes.
std::int64_t pairs_across(const Grid& grid, const Step& step, NodeOfCell node_of_cell) {
  const std::int32_t* node = node_of_cell.data();
  std::int64_t different = 0;
  ShiftedRuns(grid, step.offset).for_each([&](std::int64_t first, std::int64_t shift, std::int64_t count) {
    different += count_different(node + first, node + first + shift, count);
  });
  return different;
}

enum class Partner { on_same_node, on_other_node };

// Adds `weight` to each cell of a run whose partner is there.
template <Partner where, typename Sum>
void add_where(Sum* __restrict sums, const std::int32_t* here, const std::int32_t* there, std::int64_t count,
               Sum weight) {
  std::int64_t i = 0;
  if constexpr (std::is_same_v<Sum, std::int32_t>) {
    for (; i + FourCells::count <= count; i += FourCells::count) {
      const auto same = FourCells::at(here + i) == FourCells::at(there + i);
      FourCells::put(sums + i, FourCells::at(sums + i) + ((where == Partner::on_same_node ? same : ~same) & weight));
    }
  }
  for (; i < count; ++i) sums[i] += (here[i] == there[i]) == (where == Partner::on_same_node) ? weight : 0;
}

// The weight that each cell exchanges with existing partners.
template <Partner where, typename Sum>
std::vector<Sum> add_up_cells(const Grid& grid, const Stencil& stencil, NodeOfCell node_of_cell) {
  std::vector<Sum> sums(node_of_cell.size());
  const std::int32_t* node = node_of_cell.data();
  for (const Step& step : stencil.steps)
    ShiftedRuns(grid, step.offset).for_each([&](std::int64_t first, std::int64_t shift, std::int64_t count) {
      add_where<where>(sums.data() + first, node + first, node + first + shift, count, static_cast<Sum>(step.weight));
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
  PartnerCount partners;
  if (counts.empty()) return partners;
  std::int32_t min = counts.front(), max = min;
  const auto add = [&](std::int32_t count) {
    min = std::min(min, count);
    max = std::max(max, count);
    partners.sum += count;
  };
  std::size_t i = 0;
  if (counts.size() >= FourCells::count) {
    FourCells::Vector least = FourCells::at(counts.data()), most = least;
    while (i + FourCells::count <= counts.size()) {
      FourCells::Vector sum{};  // of few enough: a cell has less than two million partners
      const std::size_t end = std::min(counts.size(), i + 4096);
      for (; i + FourCells::count <= end; i += FourCells::count) {
        const FourCells::Vector some = FourCells::at(counts.data() + i);
        least = least < some ? least : some;
        most = most > some ? most : some;
        sum += some;
      }
      for (int k = 0; k < FourCells::count; ++k) partners.sum += sum[k];
    }
    for (int k = 0; k < FourCells::count; ++k) {
      min = std::min(min, least[k]);
      max = std::max(max, most[k]);
    }
  }
  for (; i < counts.size(); ++i) add(counts[i]);
  partners.min = min;
  partners.max = max;
  return partners;
}

// A cell's distance from the borders decides which partners it has. So a grid just large enough for the stencil's reach
// has a cell of each kind.
Grid of_each_kind_of_cell(const Grid& grid, const Stencil& stencil) {
  Grid small = grid;
  for (std::size_t d = 0; d < small.dims.size(); ++d) {
    int reach = 0;
    for (const Step& step : stencil.steps) reach = std::max(reach, std::abs(step.offset[d]));
    if (reach < small.dims[d] / 2) small.dims[d] = 2 * reach + 1;
  }
  return small;
}

void measure_busiest_cell(const Grid& grid, const Stencil& stencil, Metrics& metrics) {
  const Grid small = of_each_kind_of_cell(grid, stencil);
  std::vector<std::int64_t> partners(static_cast<std::size_t>(small.cells())), weight(partners);
  for (const Step& step : stencil.steps)
    ShiftedRuns(small, step.offset).for_each([&](std::int64_t first, std::int64_t, std::int64_t count) {
      for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(first + count); ++i) {
        ++partners[i];
        weight[i] += step.weight;
      }
    });
  if (partners.empty()) return;
  metrics.most_partners = *std::max_element(partners.begin(), partners.end());
  metrics.most_weight = *std::max_element(weight.begin(), weight.end());
}

}  // namespace

std::int64_t jsum_of(const Grid& grid, const Stencil& stencil, NodeOfCell node_of_cell) {
  return jsum_up_to(grid, stencil, node_of_cell, std::numeric_limits<std::int64_t>::max());
}

std::int64_t jsum_up_to(const Grid& grid, const Stencil& stencil, NodeOfCell node_of_cell, std::int64_t limit) {
  const HalfStencil half(stencil);
  std::int64_t sum = 0;
  for (const Step* step : half.steps) {
    sum += pairs_across(grid, *step, node_of_cell) * step->weight * half.factor;
    if (sum > limit) return sum;
  }
  return sum;
}

Traffic traffic_of(const Grid& grid, const Stencil& stencil, NodeOfCell node_of_cell, std::int32_t nodes) {
  const auto add_up = [&]<typename Sum>(Sum) {
    const auto cells = add_up_cells<Partner::on_other_node, Sum>(grid, stencil, node_of_cell);
    return add_up_nodes<Sum>(cells, node_of_cell, nodes);
  };
  return total_weight(stencil) <= std::numeric_limits<std::int32_t>::max() ? add_up(std::int32_t{})
                                                                           : add_up(std::int64_t{});
}

std::int64_t jmax_of(const Grid& grid, const Stencil& stencil, NodeOfCell node_of_cell, std::int32_t nodes) {
  return traffic_of(grid, stencil, node_of_cell, nodes).jmax;
}

Metrics measure(const Grid& grid, const Stencil& stencil, NodeOfCell node_of_cell, std::int32_t nodes) {
  Metrics metrics;
  metrics.cells = grid.cells();
  Stencil partners = stencil;
  for (Step& step : partners.steps) step.weight = 1;
  const auto on = add_up_cells<Partner::on_same_node, std::int32_t>(grid, partners, node_of_cell);
  const auto off = add_up_cells<Partner::on_other_node, std::int32_t>(grid, partners, node_of_cell);
  metrics.on_node = summarize(on);
  metrics.off_node = summarize(off);
  measure_busiest_cell(grid, stencil, metrics);
  const auto same_weight = [&](const Step& step) { return step.weight == stencil.steps.front().weight; };
  Traffic traffic;
  std::int64_t unit = 1;
  if (!stencil.steps.empty() && std::all_of(stencil.steps.begin(), stencil.steps.end(), same_weight)) {
    traffic = add_up_nodes<std::int32_t>(off, node_of_cell, nodes);
    unit = stencil.steps.front().weight;
  } else {
    traffic = traffic_of(grid, stencil, node_of_cell, nodes);
  }
  metrics.jsum = traffic.jsum * unit;
  metrics.jmax = traffic.jmax * unit;
  return metrics;
}

}  // namespace marshal::mapping
