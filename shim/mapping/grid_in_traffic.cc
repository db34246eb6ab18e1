#include "mapping/grid_in_traffic.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <unordered_map>

namespace marshal::mapping {
namespace {

constexpr double share_wanted = 0.9;
constexpr int longest_step = 4;                 // in cells along one dimension
constexpr std::size_t most_stencil_steps = 64;  // of a stencil, both directions
constexpr std::int64_t largest_step_weight = std::int64_t{1} << 20;

struct Distance {
  std::int64_t cells;   // between the numbers of two partners, > 0
  std::int64_t weight;  // of all pairs at that distance
};

// Heaviest first.
std::vector<Distance> distances_of(const NeighbourLists& neighbours) {
  std::unordered_map<std::int64_t, std::int64_t> weights;
  for (std::int32_t cell = 0; cell < neighbours.cells(); ++cell)
    for (const Neighbour& n : neighbours.of(cell))
      if (n.cell > cell) weights[n.cell - cell] += n.weight;
  std::vector<Distance> distances;
  for (const auto& [cells, weight] : weights) distances.push_back({cells, weight});
  std::sort(distances.begin(), distances.end(), [](const Distance& a, const Distance& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.cells < b.cells;
  });
  return distances;
}

// Dimensions whose strides are all distances that carry weight: a grid that is used exchanges along each dimension.
class Dimensions {
 public:
  Dimensions(std::int64_t cells, const std::vector<Distance>& distances) : cells_(cells) {
    constexpr std::size_t most_strides = 40;
    for (const Distance& d : distances) {
      if (strides_.size() == most_strides) break;
      if (d.cells > 1 && cells % d.cells == 0) strides_.push_back(d.cells);
    }
    std::sort(strides_.begin(), strides_.end());
  }

  std::vector<std::vector<int>> all() {
    extend(1, {});
    return found_;
  }

 private:
  // `inner`: lengths of the faster dimensions, fastest first; `stride` is their product.
  void extend(std::int64_t stride, const std::vector<int>& inner) {
    constexpr std::size_t most_dimensions = 4;
    if (!inner.empty() && cells_ / stride > 1) {
      std::vector<int> dims(inner.rbegin(), inner.rend());
      dims.insert(dims.begin(), static_cast<int>(cells_ / stride));
      found_.push_back(std::move(dims));
    }
    if (inner.size() + 1 == most_dimensions) return;
    for (const std::int64_t next : strides_) {
      if (next <= stride || next % stride != 0 || cells_ % next != 0 || next == cells_) continue;
      std::vector<int> longer = inner;
      longer.push_back(static_cast<int>(next / stride));
      extend(next, longer);
    }
  }

  std::int64_t cells_;
  std::vector<std::int64_t> strides_;
  std::vector<std::vector<int>> found_;
};

// Weights by displacement; each pair counts once, from the lower number to the higher.
struct Displacements {
  std::map<std::vector<int>, std::int64_t> weight;
  std::vector<bool> wraps;  // whether the traffic goes around that dimension
  std::int64_t explained = 0, total = 0;
  bool too_many = false;
};

Displacements displacements_in(const NeighbourLists& neighbours, const std::vector<int>& dims) {
  Displacements result;
  const std::size_t ndims = dims.size();
  result.wraps.assign(ndims, false);
  std::vector<int> step(ndims);
  for (std::int32_t cell = 0; cell < neighbours.cells() && !result.too_many; ++cell)
    for (const Neighbour& n : neighbours.of(cell)) {
      if (n.cell < cell) continue;
      result.total += n.weight;
      std::int64_t here = cell, there = n.cell;
      bool is_short = true;
      std::vector<bool> around(ndims, false);
      for (std::size_t d = ndims; d-- > 0;) {
        const int length = dims[d];
        int delta = static_cast<int>(there % length - here % length);
        if (2 * std::abs(delta) > length) {
          delta += delta > 0 ? -length : length;
          around[d] = true;
        }
        step[d] = delta;
        is_short = is_short && std::abs(delta) <= longest_step;
        here /= length;
        there /= length;
      }
      if (!is_short) continue;
      result.explained += n.weight;
      for (std::size_t d = 0; d < ndims; ++d)
        if (around[d]) result.wraps[d] = true;
      // A step and its opposite are one: the first component that is not 0 is positive.
      const auto first = std::find_if(step.begin(), step.end(), [](int s) { return s != 0; });
      const bool backwards = first != step.end() && *first < 0;
      result.weight[backwards ? opposite_of(step) : step] += n.weight;
      if (result.weight.size() > most_stencil_steps / 2) {
        result.too_many = true;
        break;
      }
    }
  return result;
}

Stencil stencil_of(const Displacements& displacements) {
  std::int64_t most = 1;
  for (const auto& [offset, weight] : displacements.weight) most = std::max(most, weight);
  const std::int64_t divisor = (most + largest_step_weight - 1) / largest_step_weight;
  Stencil stencil;
  stencil.name = "found in the traffic";
  for (const auto& [offset, weight] : displacements.weight) {
    const std::int64_t scaled = std::max<std::int64_t>(1, weight / divisor);
    stencil.steps.push_back({offset, scaled});
    stencil.steps.push_back({opposite_of(offset), scaled});
  }
  return stencil;
}

}  // namespace

std::optional<FoundGrid> find_grid(const NeighbourLists& neighbours) {
  if (neighbours.pairs() == 0) return std::nullopt;
  const std::vector<Distance> distances = distances_of(neighbours);
  std::optional<FoundGrid> best;
  std::size_t fewest_steps = most_stencil_steps + 1;
  for (const std::vector<int>& dims : Dimensions(neighbours.cells(), distances).all()) {
    const Displacements displacements = displacements_in(neighbours, dims);
    if (displacements.too_many) continue;
    const double share = static_cast<double>(displacements.explained) / static_cast<double>(displacements.total);
    if (share < share_wanted) continue;
    // The same distances can be explained by several grids: the simplest stencil is the likely one.
    Stencil stencil = stencil_of(displacements);
    if (stencil.steps.size() >= fewest_steps) continue;
    fewest_steps = stencil.steps.size();
    best = FoundGrid{{dims, displacements.wraps}, std::move(stencil), share};
  }
  return best;
}

}  // namespace marshal::mapping
