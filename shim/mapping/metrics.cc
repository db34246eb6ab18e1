#include "mapping/metrics.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <vector>

#include "mapping/shifted_runs.h"

namespace marshal::mapping {
namespace {

// Blocks of a fixed length, since compilers turn those into vector instructions even at -O2.
std::int64_t count_different(const std::int32_t* a, const std::int32_t* b, std::int64_t count) {
  constexpr int block = 16;
  std::int64_t total = 0;
  std::int64_t i = 0;
  while (i + block <= count) {
    std::int32_t lanes[block] = {};
    const std::int64_t end = std::min(count, i + block * 4096);
    for (; i + block <= end; i += block)
      for (int k = 0; k < block; ++k) lanes[k] += a[i + k] != b[i + k] ? 1 : 0;
    for (const std::int32_t lane : lanes) total += lane;
  }
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

// Adds to each cell of a run whether its partner is on the same node, or is not.
void count_partners(std::int32_t* __restrict on, std::int32_t* __restrict off, const std::int32_t* __restrict here,
                    const std::int32_t* __restrict there, std::int64_t count) {
  constexpr int block = 16;
  const auto one = [&](std::int64_t i) {
    const std::int32_t same = here[i] == there[i] ? 1 : 0;
    on[i] += same;
    off[i] += 1 - same;
  };
  std::int64_t i = 0;
  for (; i + block <= count; i += block)
    for (int k = 0; k < block; ++k) one(i + k);
  for (; i < count; ++i) one(i);
}

PartnerCount summarize(std::span<const std::int32_t> counts) {
  PartnerCount partners;
  if (counts.empty()) return partners;
  std::int32_t min = counts.front(), max = min;
  for (const std::int32_t count : counts) {
    min = std::min(min, count);
    max = std::max(max, count);
    partners.sum += count;
  }
  partners.min = min;
  partners.max = max;
  return partners;
}

// Whether a cell has a partner depends on how near the borders it is, so that a grid as small as the stencil's reach
// allows has a cell of each kind.
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
  const std::int32_t* node = node_of_cell.data();
  std::int64_t sum = 0;
  for (const Step* step : half.steps) {
    std::int64_t different = 0;
    ShiftedRuns(grid, step->offset).for_each([&](std::int64_t first, std::int64_t shift, std::int64_t count) {
      different += count_different(node + first, node + first + shift, count);
    });
    sum += different * step->weight * half.factor;
    if (sum > limit) return sum;
  }
  return sum;
}

std::int64_t jmax_of(const Grid& grid, const Stencil& stencil, NodeOfCell node_of_cell, std::int32_t nodes) {
  std::vector<std::int64_t> leaving(static_cast<std::size_t>(nodes));
  const HalfStencil half(stencil);
  const auto at = [](auto i) { return static_cast<std::size_t>(i); };
  for (const Step* step : half.steps)
    ShiftedRuns(grid, step->offset).for_each([&](std::int64_t first, std::int64_t shift, std::int64_t count) {
      for (std::int64_t i = first; i < first + count; ++i) {
        const std::int32_t here = node_of_cell[at(i)];
        const std::int32_t there = node_of_cell[at(i + shift)];
        if (here == there) continue;
        leaving[at(here)] += step->weight;
        if (half.factor == 2) leaving[at(there)] += step->weight;
      }
    });
  return leaving.empty() ? 0 : *std::max_element(leaving.begin(), leaving.end());
}

Metrics measure(const Grid& grid, const Stencil& stencil, NodeOfCell node_of_cell, std::int32_t nodes) {
  Metrics metrics;
  metrics.cells = grid.cells();
  std::vector<std::int32_t> on(node_of_cell.size()), off(node_of_cell.size());
  const std::int32_t* node = node_of_cell.data();
  for (const Step& step : stencil.steps)
    ShiftedRuns(grid, step.offset).for_each([&](std::int64_t first, std::int64_t shift, std::int64_t count) {
      count_partners(on.data() + first, off.data() + first, node + first, node + first + shift, count);
    });
  metrics.on_node = summarize(on);
  metrics.off_node = summarize(off);
  measure_busiest_cell(grid, stencil, metrics);
  metrics.jsum = jsum_of(grid, stencil, node_of_cell);
  metrics.jmax = jmax_of(grid, stencil, node_of_cell, nodes);
  return metrics;
}

}  // namespace marshal::mapping
