#include "mapping/metrics.h"

#include <algorithm>
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

PartnerCount summarize(std::span<const std::int32_t> counts) {
  PartnerCount partners;
  if (counts.empty()) return partners;
  partners.min = partners.max = counts.front();
  for (const std::int32_t count : counts) {
    partners.min = std::min<std::int64_t>(partners.min, count);
    partners.max = std::max<std::int64_t>(partners.max, count);
    partners.sum += count;
  }
  return partners;
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
  const auto at = [](auto i) { return static_cast<std::size_t>(i); };
  Metrics metrics;
  metrics.cells = grid.cells();
  std::vector<std::int32_t> on(node_of_cell.size()), off(node_of_cell.size());
  std::vector<std::int64_t> weight(node_of_cell.size());
  for (const Step& step : stencil.steps)
    ShiftedRuns(grid, step.offset).for_each([&](std::int64_t first, std::int64_t shift, std::int64_t count) {
      for (std::int64_t i = first; i < first + count; ++i) {
        const int same = node_of_cell[at(i)] == node_of_cell[at(i + shift)] ? 1 : 0;
        on[at(i)] += same;
        off[at(i)] += 1 - same;
        weight[at(i)] += step.weight;
      }
    });
  metrics.on_node = summarize(on);
  metrics.off_node = summarize(off);
  for (std::size_t cell = 0; cell < weight.size(); ++cell) {
    metrics.most_partners = std::max<std::int64_t>(metrics.most_partners, on[cell] + off[cell]);
    metrics.most_weight = std::max(metrics.most_weight, weight[cell]);
  }
  metrics.jsum = jsum_of(grid, stencil, node_of_cell);
  metrics.jmax = jmax_of(grid, stencil, node_of_cell, nodes);
  return metrics;
}

}  // namespace marshal::mapping
