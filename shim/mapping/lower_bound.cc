#include "mapping/lower_bound.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

namespace marshal::mapping {
namespace {

constexpr std::int64_t most_combinations = 2'000'000;
constexpr std::int64_t unbounded = std::numeric_limits<std::int64_t>::max();

// The cheapest set of projections: minimizes Σ cost_d p_d over integers low_d <= p_d <= high_d with Π p_d >= volume.
class Projections {
 public:
  Projections(std::vector<std::int64_t> cost, std::vector<std::int64_t> low, std::vector<std::int64_t> high)
      : cost_(std::move(cost)), low_(std::move(low)), high_(std::move(high)) {}

  // 0 if more than `budget` combinations would have to be looked at.
  std::int64_t cheapest(long double volume, std::int64_t budget) {
    budget_ = budget;
    choose(0, volume, 0);
    return budget_ > 0 && best_ != unbounded ? best_ : 0;
  }

 private:
  void choose(std::size_t dim, long double needed, std::int64_t spent) {
    if (--budget_ <= 0 || spent >= best_) return;
    if (dim + 1 == cost_.size()) {
      // Slightly less than needed, since the division may have rounded up: a bound may be low, never high.
      auto least = static_cast<std::int64_t>(needed * (1.0L - 1e-15L));
      if (static_cast<long double>(least) < needed * (1.0L - 1e-15L)) ++least;
      least = std::max(least, low_[dim]);
      if (least <= high_[dim]) best_ = std::min(best_, spent + least * cost_[dim]);
      return;
    }
    for (std::int64_t p = low_[dim]; p <= high_[dim]; ++p) {
      if (spent + p * cost_[dim] >= best_ && cost_[dim] > 0) return;
      choose(dim + 1, needed / static_cast<long double>(p), spent + p * cost_[dim]);
      if (static_cast<long double>(p) >= needed) return;  // larger ones only cost more
    }
  }

  std::vector<std::int64_t> cost_, low_, high_;
  std::int64_t best_ = unbounded, budget_ = 0;
};

// A step along one axis.
struct AxisStep {
  std::size_t axis;
  std::int64_t reach, weight;
};

std::int64_t least_faces(const Grid& grid, const std::vector<AxisStep>& steps, std::int64_t cells_of_node,
                         std::int64_t budget) {
  std::vector<std::int64_t> cost(grid.dims.size());
  for (const AxisStep& step : steps) {
    // Around a periodic dimension a node may own all cells that the step leads to: then it costs nothing.
    const std::int64_t length = grid.dims[step.axis];
    if (grid.periodic[step.axis] && cells_of_node >= length / std::gcd(step.reach, length)) continue;
    cost[step.axis] += step.weight;
  }
  std::vector<std::int64_t> used_cost, low, high;
  long double volume = 1.0L;
  for (std::size_t d = 0; d < cost.size(); ++d) {
    if (grid.dims[d] == 1) continue;
    if (!used_cost.empty()) volume *= static_cast<long double>(cells_of_node);
    used_cost.push_back(cost[d]);
    low.push_back((cells_of_node + grid.dims[d] - 1) / grid.dims[d]);
    high.push_back(std::min(cells_of_node, grid.cells() / grid.dims[d]));
  }
  if (used_cost.empty()) return 0;
  return Projections(used_cost, low, high).cheapest(volume, budget);
}

}  // namespace

std::int64_t jsum_lower_bound(const Problem& problem) {
  const Grid& grid = problem.grid;
  if (problem.cells() <= 1) return 0;
  // A step over the border of an open dimension leaves no pair behind.
  std::vector<AxisStep> steps;
  std::int64_t at_border = 0;
  for (const Step& step : problem.stencil.steps) {
    std::size_t axis = 0;
    int moves = 0;
    for (std::size_t d = 0; d < grid.dims.size(); ++d)
      if (step.offset[d] != 0) {
        ++moves;
        axis = d;
      }
    if (moves != 1 || grid.dims[axis] == 1) continue;
    const int reach = std::abs(step.offset[axis]);
    steps.push_back({axis, reach, step.weight});
    if (!grid.periodic[axis])
      at_border += step.weight * std::min(reach, grid.dims[axis]) * (grid.cells() / grid.dims[axis]);
  }
  std::int64_t faces = 0;
  const std::int64_t processes = std::accumulate(problem.capacity.begin(), problem.capacity.end(), std::int64_t{0});
  if (processes == problem.cells()) {
    std::map<std::int32_t, std::int64_t> nodes_of_size;
    for (const std::int32_t size : problem.capacity) ++nodes_of_size[size];
    for (const auto& [size, count] : nodes_of_size)
      faces += count * least_faces(grid, steps, size, most_combinations / std::ssize(nodes_of_size));
  } else {
    // With spare processes a node may hold any number of cells: all cells at the least faces a cell of any number.
    const std::int64_t largest = *std::max_element(problem.capacity.begin(), problem.capacity.end());
    long double a_cell = std::numeric_limits<long double>::max();
    for (std::int64_t size = 1; size <= std::min(largest, problem.cells()); ++size)
      a_cell = std::min(a_cell, static_cast<long double>(least_faces(grid, steps, size, most_combinations / largest)) /
                                    static_cast<long double>(size));
    faces = static_cast<std::int64_t>(a_cell * static_cast<long double>(problem.cells()) * (1.0L - 1e-15L));
  }
  return std::max<std::int64_t>(0, faces - at_border);
}

}  // namespace marshal::mapping
