#include "mapping/snake.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "mapping/node_filler.h"
#include "mapping/root.h"

namespace marshal::mapping {
namespace {

// Where the strips of one dimension begin, and where the last one ends.
std::vector<int> strip_borders(int length, int height, bool even) {
  std::vector<int> borders{0};
  const int strips = even ? std::max(1, length / height) : (length + height - 1) / height;
  for (int i = 1; i < strips; ++i)
    borders.push_back(even ? static_cast<int>(static_cast<std::int64_t>(length) * i / strips) : i * height);
  borders.push_back(length);
  return borders;
}

// The path over one slab, whose sides in the dimensions `cross` (slowest first) are `sides`: offsets from its first
// cell.
void snake_over_slab(std::span<const std::size_t> cross, std::span<const int> sides,
                     std::span<const std::int64_t> strides, std::vector<std::int32_t>& path) {
  path.assign(1, 0);
  for (std::size_t k = cross.size(); k-- > 0;) {
    const std::size_t once = path.size();
    path.reserve(once * static_cast<std::size_t>(sides[k]));
    for (int i = 1; i < sides[k]; ++i) {
      const auto shift = static_cast<std::int32_t>(i * strides[cross[k]]);
      for (std::size_t j = 0; j < once; ++j) path.push_back(path[i % 2 == 0 ? j : once - 1 - j] + shift);
    }
  }
}

std::vector<std::int64_t> surface_costs(const Problem& problem) {
  std::vector<std::int64_t> costs(problem.grid.dims.size());
  for (const Step& step : problem.stencil.steps)
    for (std::size_t d = 0; d < costs.size(); ++d) costs[d] += step.weight * std::abs(step.offset[d]);
  return costs;
}

}  // namespace

std::string describe(const SnakeShape& shape) {
  std::vector<std::string> sides;
  for (std::size_t d = 0; d < shape.heights.size(); ++d)
    sides.push_back(static_cast<int>(d) == shape.along ? "*" : std::to_string(shape.heights[d]));
  return fmt::format("strips of {}{}{}{}", fmt::join(sides, "x"), shape.even ? ", even" : "",
                     shape.turning ? "" : ", not turning", shape.swapped ? ", swapped" : "");
}

void walk_snake(const Grid& grid, const SnakeShape& shape, std::span<const NodeShare> shares,
                std::span<std::int32_t> node_of_cell) {
  if (node_of_cell.empty()) return;
  NodeFiller filler(shares, node_of_cell);
  if (grid.dims.empty()) {
    filler.cell(0);
    return;
  }
  const auto strides = row_major_strides(grid);
  const auto along = static_cast<std::size_t>(shape.along);
  std::vector<std::size_t> cross;
  for (std::size_t d = 0; d < grid.dims.size(); ++d)
    if (d != along) cross.push_back(d);
  if (shape.swapped) std::reverse(cross.begin(), cross.end());
  std::vector<std::vector<int>> borders;
  for (const std::size_t d : cross) borders.push_back(strip_borders(grid.dims[d], shape.heights[d], shape.even));

  std::vector<std::int32_t> path;
  std::vector<int> sides(cross.size()), path_sides;
  bool backwards = false, reversed = false;
  // The strips, as a snake: `turn` tells in each dimension which way it is walked just now.
  std::vector<std::size_t> strip(cross.size(), 0);
  std::vector<bool> turn(cross.size(), false);
  for (;;) {
    std::int64_t corner = 0;
    for (std::size_t k = 0; k < cross.size(); ++k) {
      const std::size_t s = turn[k] ? borders[k].size() - 2 - strip[k] : strip[k];
      sides[k] = borders[k][s + 1] - borders[k][s];
      corner += borders[k][s] * strides[cross[k]];
    }
    if (sides != path_sides || path.empty()) {
      snake_over_slab(cross, sides, strides, path);
      path_sides = sides;
    }
    const int length = grid.dims[along];
    for (int i = 0; i < length; ++i) {
      const int position = backwards ? length - 1 - i : i;
      filler.path(corner + position * strides[along], path, reversed);
      if (shape.turning) reversed = !reversed;
    }
    backwards = !backwards;
    std::size_t k = cross.size();
    while (k > 0 && strip[k - 1] + 2 == borders[k - 1].size()) {
      strip[k - 1] = 0;
      turn[k - 1] = !turn[k - 1];
      --k;
    }
    if (k == 0) return;
    ++strip[k - 1];
  }
}

MapperResult strips(const Problem& problem) {
  MapperResult result;
  const Grid& grid = problem.grid;
  if (problem.cells() == 0) return result;
  result.node_of_cell.resize(static_cast<std::size_t>(problem.cells()));
  const auto shares = node_shares(problem);
  SnakeShape shape;
  shape.heights.assign(grid.dims.size(), 1);
  if (!grid.dims.empty()) {
    shape.along = static_cast<int>(std::max_element(grid.dims.begin(), grid.dims.end()) - grid.dims.begin());
    // The stencil's extent in each dimension against the side of a cube of the same volume: its distortion.
    std::vector<double> extent(grid.dims.size());
    double volume = 1.0;
    for (std::size_t d = 0; d < extent.size(); ++d) {
      int low = 0, high = 0;
      for (const Step& step : problem.stencil.steps) {
        low = std::min(low, step.offset[d]);
        high = std::max(high, step.offset[d]);
      }
      extent[d] = std::max(1, high - low);
      volume *= extent[d];
    }
    const double side = root(volume, grid.ndims());
    double remaining = static_cast<double>(problem.cells()) / static_cast<double>(shares.size());
    shape.even = true;
    for (std::size_t d = 0; d < extent.size(); ++d) {
      if (static_cast<int>(d) == shape.along) continue;
      const double distortion = extent[d] / side;
      const int height = static_cast<int>(root(std::max(1.0, remaining * distortion), grid.ndims()));
      shape.heights[d] = std::clamp(height, 1, grid.dims[d]);
      remaining /= shape.heights[d];
    }
  }
  walk_snake(grid, shape, shares, result.node_of_cell);
  result.detail = describe(shape);
  return result;
}

std::vector<double> ideal_sides(const Problem& problem) {
  const auto& dims = problem.grid.dims;
  const auto costs = surface_costs(problem);
  const double volume =
      problem.capacity.empty() ? 1.0 : *std::max_element(problem.capacity.begin(), problem.capacity.end());
  // A side that the grid limits (or whose surface is free) is as long as the grid; the others share what is left.
  std::vector<double> sides(dims.size(), 0.0);
  std::vector<bool> fixed(dims.size(), false);
  for (std::size_t d = 0; d < dims.size(); ++d)
    if (costs[d] == 0 || dims[d] <= 1) {
      fixed[d] = true;
      sides[d] = dims[d];
    }
  for (bool changed = true; changed;) {
    changed = false;
    double left = volume;
    int free = 0;
    double product = 1.0;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      if (fixed[d]) {
        left /= std::max(1.0, sides[d]);
      } else {
        ++free;
        product *= static_cast<double>(costs[d]);
      }
    }
    if (free == 0) break;
    const double scale = root(std::max(left, 1e-9) / product, free);
    for (std::size_t d = 0; d < dims.size(); ++d) {
      if (fixed[d]) continue;
      sides[d] = scale * static_cast<double>(costs[d]);
      if (sides[d] >= dims[d]) {
        sides[d] = dims[d];
        fixed[d] = changed = true;
      }
    }
  }
  return sides;
}

std::vector<SnakeShape> promising_shapes(const Problem& problem, std::size_t limit) {
  const Grid& grid = problem.grid;
  if (problem.cells() == 0 || grid.dims.empty()) return {};
  const auto sides = ideal_sides(problem);
  const auto costs = surface_costs(problem);
  const auto cells = static_cast<double>(problem.cells());
  const auto nodes = static_cast<double>(node_shares(problem).size());
  struct Ranked {
    double estimate;
    SnakeShape shape;
  };
  std::vector<Ranked> ranked;
  for (int along = 0; along < grid.ndims(); ++along) {
    if (grid.length(along) == 1 && grid.cells() > 1) continue;
    // All heights near the ideal one; where that is too many combinations, only the nearest of each dimension.
    std::vector<std::vector<int>> choices(grid.dims.size());
    for (std::size_t d = 0; d < grid.dims.size(); ++d) {
      if (static_cast<int>(d) == along) {
        choices[d] = {1};
        continue;
      }
      const int low = std::clamp(static_cast<int>(sides[d] * 0.6), 1, grid.dims[d]);
      const int high = std::clamp(static_cast<int>(sides[d] * 1.7) + 1, low, grid.dims[d]);
      for (int h = low; h <= high; ++h) choices[d].push_back(h);
      std::stable_sort(choices[d].begin(), choices[d].end(), [&](int a, int b) {
        return std::max(a / sides[d], sides[d] / a) < std::max(b / sides[d], sides[d] / b);
      });
    }
    const auto combinations = [&] {
      double product = 1;
      for (const auto& choice : choices) product *= static_cast<double>(choice.size());
      return product;
    };
    while (combinations() > 20000) {
      auto widest = std::max_element(choices.begin(), choices.end(),
                                     [](const auto& a, const auto& b) { return a.size() < b.size(); });
      widest->resize(widest->size() - widest->size() / 4 - 1);
    }
    std::vector<std::size_t> pick(choices.size(), 0);
    for (;;) {
      SnakeShape shape;
      shape.along = along;
      double estimate = 0, area = cells / grid.length(along);
      bool divides = true;
      for (std::size_t d = 0; d < choices.size(); ++d) {
        shape.heights.push_back(choices[d][pick[d]]);
        if (static_cast<int>(d) == along) continue;
        const double strips = static_cast<double>(grid.dims[d]) / shape.heights[d];
        const double cuts = strips - (grid.periodic[d] && strips > 1 ? 0 : 1);
        estimate += cuts * (cells / grid.dims[d]) * static_cast<double>(costs[d]);
        area /= strips;
        divides = divides && grid.dims[d] % shape.heights[d] == 0;
      }
      estimate += nodes * area * static_cast<double>(costs[static_cast<std::size_t>(along)]);
      for (const bool even : {false, true}) {
        if (even && divides) continue;
        for (const bool turning : {true, false})
          for (const bool swapped : {false, true}) {
            if (swapped && grid.ndims() < 3) continue;
            shape.even = even;
            shape.turning = turning;
            shape.swapped = swapped;
            ranked.push_back({estimate, shape});
          }
      }
      std::size_t d = choices.size();
      while (d > 0 && pick[d - 1] + 1 == choices[d - 1].size()) pick[--d] = 0;
      if (d == 0) break;
      ++pick[d - 1];
    }
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Ranked& a, const Ranked& b) { return a.estimate < b.estimate; });
  std::vector<SnakeShape> shapes;
  for (std::size_t i = 0; i < std::min(limit, ranked.size()); ++i) shapes.push_back(std::move(ranked[i].shape));
  return shapes;
}

}  // namespace marshal::mapping
