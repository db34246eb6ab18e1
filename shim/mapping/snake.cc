#include "mapping/snake.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "mapping/box.h"
#include "mapping/root.h"

namespace marshal::mapping {
namespace {

// Where the strips of one dimension begin, and where the last one ends.
std::vector<int> strip_borders(int length, StripCut cut) {
  std::vector<int> borders{0};
  const int strips = cut.count > 0 ? std::min(cut.count, length) : (length + cut.height - 1) / cut.height;
  for (int i = 1; i < strips; ++i)
    borders.push_back(cut.count > 0 ? static_cast<int>(static_cast<std::int64_t>(length) * i / strips)
                                    : i * cut.height);
  borders.push_back(length);
  return borders;
}

std::vector<std::int64_t> surface_costs(const Problem& problem) {
  std::vector<std::int64_t> costs(problem.grid.dims.size());
  for (const Step& step : problem.stencil.steps)
    for (std::size_t d = 0; d < costs.size(); ++d) costs[d] += step.weight * std::abs(step.offset[d]);
  return costs;
}

double mean_height(int length, StripCut cut) {
  return cut.count > 0 ? static_cast<double>(length) / std::min(cut.count, length) : cut.height;
}

// All ways to cut a dimension into strips of about the ideal height, the nearest first.
std::vector<StripCut> cuts_near(int length, double ideal) {
  const int low = std::clamp(static_cast<int>(ideal * 0.6), 1, length);
  const int high = std::clamp(static_cast<int>(ideal * 1.7) + 1, low, length);
  std::vector<StripCut> cuts;
  for (int height = low; height <= high; ++height) cuts.push_back(StripCut::by_height(height));
  for (int count = (length + high - 1) / high; count <= length / low; ++count)
    if (length % count != 0) cuts.push_back(StripCut::evenly(count));
  std::stable_sort(cuts.begin(), cuts.end(), [&](StripCut a, StripCut b) {
    const double height_a = mean_height(length, a), height_b = mean_height(length, b);
    return std::max(height_a / ideal, ideal / height_a) < std::max(height_b / ideal, ideal / height_b);
  });
  return cuts;
}

}  // namespace

std::string describe(const SnakeShape& shape) {
  std::vector<std::string> cuts;
  for (std::size_t d = 0; d < shape.cuts.size(); ++d) {
    const StripCut& cut = shape.cuts[d];
    cuts.push_back(static_cast<int>(d) == shape.along ? "*"
                   : cut.count > 0                    ? fmt::format("1/{}", cut.count)
                                                      : std::to_string(cut.height));
  }
  return fmt::format("strips of {}{}{}", fmt::join(cuts, " x "), shape.turning ? "" : ", not turning",
                     shape.swapped ? ", swapped" : "");
}

void walk_snake(const Grid& grid, const SnakeShape& shape, std::span<const NodeShare> shares,
                std::span<std::int32_t> node_of_cell) {
  if (node_of_cell.empty()) return;
  NodeFiller filler(shares, node_of_cell);
  if (grid.dims.empty()) {
    filler.path(0, std::array{0}, false);
    return;
  }
  const auto strides = row_major_strides(grid);
  const auto along = static_cast<std::size_t>(shape.along);
  std::vector<std::size_t> cross;
  for (std::size_t d = 0; d < grid.dims.size(); ++d)
    if (d != along) cross.push_back(d);
  if (shape.swapped) std::reverse(cross.begin(), cross.end());
  std::vector<std::vector<int>> borders;
  for (const std::size_t d : cross) borders.push_back(strip_borders(grid.dims[d], shape.cuts[d]));

  std::vector<int> sides(grid.dims.size(), 1);  // of a slab
  bool backwards = false, reversed = false;
  // The strips, as a snake: `turn` tells in each dimension which way it is walked just now.
  std::vector<std::size_t> strip(cross.size(), 0);
  std::vector<bool> turn(cross.size(), false);
  for (;;) {
    std::int64_t corner = 0;
    for (std::size_t k = 0; k < cross.size(); ++k) {
      const std::size_t s = turn[k] ? borders[k].size() - 2 - strip[k] : strip[k];
      sides[cross[k]] = borders[k][s + 1] - borders[k][s];
      corner += borders[k][s] * strides[cross[k]];
    }
    const auto path = walk_in_order(sides, strides, cross, true);
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
  result.node_of_cell.resize(static_cast<std::size_t>(problem.cells()));
  const auto shares = node_shares(problem);
  SnakeShape shape;
  shape.cuts.assign(grid.dims.size(), StripCut::evenly(1));
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
    for (std::size_t d = 0; d < extent.size(); ++d) {
      if (static_cast<int>(d) == shape.along) continue;
      const double distortion = extent[d] / side;
      const int height =
          std::clamp(static_cast<int>(root(std::max(1.0, remaining * distortion), grid.ndims())), 1, grid.dims[d]);
      shape.cuts[d] = StripCut::evenly(grid.dims[d] / height);
      remaining /= height;
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

namespace {

// How many strips of each height a cut makes: at most two heights.
struct StripKind {
  std::int64_t height, strips;
};
struct CutStrips {
  StripCut cut;
  std::array<StripKind, 2> kinds{};
  std::size_t count = 0;
  std::int64_t strips = 0;

  CutStrips(int length, StripCut how) : cut(how) {
    if (cut.count > 0) {
      const int parts = std::min(cut.count, length), low = length / parts, higher = length % parts;
      if (higher > 0) add({low + 1, higher});
      add({low, parts - higher});
    } else {
      if (length / cut.height > 0) add({cut.height, length / cut.height});
      if (length % cut.height > 0) add({length % cut.height, 1});
    }
  }
  const StripKind* begin() const { return kinds.data(); }
  const StripKind* end() const { return kinds.data() + count; }

 private:
  void add(StripKind kind) {
    kinds[count++] = kind;
    strips += kind.strips;
  }
};

// The ways to cut each dimension that are tried together, for strips along one of them. Their combinations are
// numbered.
class Choices {
 public:
  // All heights near the ideal one; where that is too many combinations, only the nearest of each dimension.
  Choices(const Grid& grid, std::span<const double> ideal, int along) : along_(along) {
    std::vector<std::vector<StripCut>> cuts(grid.dims.size());
    for (std::size_t d = 0; d < cuts.size(); ++d)
      cuts[d] = static_cast<int>(d) == along ? std::vector{StripCut::evenly(1)} : cuts_near(grid.dims[d], ideal[d]);
    const auto combinations = [&] {
      double product = 1;
      for (const auto& of_dimension : cuts) product *= static_cast<double>(of_dimension.size());
      return product;
    };
    while (combinations() > 20000) {
      auto widest =
          std::max_element(cuts.begin(), cuts.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
      widest->resize(widest->size() - widest->size() / 4 - 1);
    }
    for (std::size_t d = 0; d < cuts.size(); ++d) {
      strips_.emplace_back();
      for (const StripCut cut : cuts[d]) strips_.back().emplace_back(grid.dims[d], cut);
    }
  }

  int along() const { return along_; }
  std::int32_t combinations() const {
    std::size_t product = 1;
    for (const auto& of_dimension : strips_) product *= of_dimension.size();
    return static_cast<std::int32_t>(product);
  }
  // The cut of each dimension, the last dimension's varying fastest with the number.
  void pick(std::int32_t number, std::span<const CutStrips*> picked) const {
    auto rest = static_cast<std::size_t>(number);
    for (std::size_t d = strips_.size(); d-- > 0; rest /= strips_[d].size())
      picked[d] = &strips_[d][rest % strips_[d].size()];
  }

 private:
  int along_;
  std::vector<std::vector<CutStrips>> strips_;
};

// An estimate of Jsum: the borders between strips exactly, the borders between nodes along a strip on average.
class Estimator {
 public:
  explicit Estimator(const Problem& problem)
      : grid_(problem.grid), cells_(problem.cells()), costs_(surface_costs(problem)) {
    const auto shares = node_shares(problem);
    node_size_ = std::max<std::int64_t>(1, problem.cells() / std::max<std::int64_t>(1, std::ssize(shares)));
    const std::int64_t common = shares.empty() ? 1 : shares[shares.size() / 2].cells;
    const auto alike =
        std::count_if(shares.begin(), shares.end(), [=](const NodeShare& s) { return s.cells == common; });
    equal_ = alike * 10 >= std::ssize(shares) * 9;
    if (equal_) node_size_ = common;
  }

  // The estimate for strips along a dimension, with the others cut like this; `swapped` as in SnakeShape. It may stop
  // at any value of at least `limit`.
  double jsum(int along, std::span<const CutStrips* const> cuts, bool swapped, double limit) {
    cross_.clear();
    double borders = 0;
    for (std::size_t d = 0; d < grid_.dims.size(); ++d) {
      if (static_cast<int>(d) == along) continue;
      cross_.push_back(d);
      const std::int64_t strips = cuts[d]->strips, between = strips - (grid_.periodic[d] && strips > 1 ? 0 : 1);
      borders +=
          static_cast<double>(between) * static_cast<double>(cells_ / grid_.dims[d]) * static_cast<double>(costs_[d]);
    }
    if (borders >= limit) return borders;
    if (swapped) std::reverse(cross_.begin(), cross_.end());
    return borders + between_nodes(static_cast<std::size_t>(along), cuts, limit - borders, 0, 1, 1);
  }

 private:
  // Over all kinds of strips: `strips` of the dimensions before cross_[k], with `area` cells a slab.
  double between_nodes(std::size_t along, std::span<const CutStrips* const> cuts, double limit, std::size_t k,
                       std::int64_t strips, std::int64_t area) {
    if (k < cross_.size()) {
      double sum = 0;
      for (const StripKind& kind : *cuts[cross_[k]]) {
        inner_row_ = kind.height;  // in the end that of the last dimension, which a slab is walked along
        sum += between_nodes(along, cuts, limit - sum, k + 1, strips * kind.strips, area * kind.height);
        if (sum >= limit) break;
      }
      return sum;
    }
    const double nodes = static_cast<double>(strips * area * grid_.dims[along]) / static_cast<double>(node_size_);
    const double straight = static_cast<double>(std::min(area, node_size_) * costs_[along]);
    return nodes * (straight + ragged(area));
  }

  // A node ends within a slab, anywhere if the slab does not divide it: the mean weight across the step in the border.
  double ragged(std::int64_t area) const {
    if (cross_.empty()) return 0;
    const std::int64_t pace = equal_ ? std::gcd(node_size_, area) : 1;
    const std::int64_t row = std::min(inner_row_, area);
    const auto row_cost = static_cast<double>(costs_[cross_.back()]);
    const auto outer_cost = static_cast<double>(cross_.size() > 1 ? costs_[cross_[cross_.size() - 2]] : 0);
    double sum = 0;
    std::int64_t steps = 0;
    for (std::int64_t part = 0; part < area; part += pace, ++steps) {
      if (part == 0) continue;
      const std::int64_t rest = part % row, step = std::min({row, part, area - part});
      sum += outer_cost * static_cast<double>(row < area ? step : 0) + (rest != 0 ? row_cost : 0);
    }
    return sum / static_cast<double>(steps);
  }

  const Grid& grid_;
  std::int64_t cells_;
  std::vector<std::int64_t> costs_;
  std::int64_t node_size_;
  bool equal_;
  std::vector<std::size_t> cross_;
  std::int64_t inner_row_ = 1;
};

}  // namespace

std::vector<SnakeShape> promising_shapes(const Problem& problem, std::size_t limit) {
  const Grid& grid = problem.grid;
  if (problem.cells() == 0 || grid.dims.empty()) return {};
  const auto sides = ideal_sides(problem);
  Estimator estimator(problem);
  std::vector<Choices> choices;
  for (int along = 0; along < grid.ndims(); ++along)
    if (grid.length(along) > 1 || grid.cells() == 1) choices.emplace_back(grid, sides, along);
  struct Ranked {
    double estimate;
    std::int32_t choice, combination;
    bool swapped;
  };
  std::vector<Ranked> ranked;
  double worst = std::numeric_limits<double>::infinity();  // from which on none is among the best so far
  const auto keep_best = [&] {
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const Ranked& a, const Ranked& b) { return a.estimate < b.estimate; });
    if (ranked.size() < limit) return;
    ranked.resize(limit);
    if (limit > 0) worst = ranked.back().estimate;
  };
  std::vector<const CutStrips*> picked(grid.dims.size());
  for (std::size_t c = 0; c < choices.size(); ++c)
    for (std::int32_t combination = 0; combination < choices[c].combinations(); ++combination) {
      choices[c].pick(combination, picked);
      for (const bool swapped : {false, true}) {
        if (swapped && grid.ndims() < 3) continue;
        const double estimate = estimator.jsum(choices[c].along(), picked, swapped, worst);
        if (estimate >= worst) continue;
        ranked.push_back({estimate, static_cast<std::int32_t>(c), combination, swapped});
        if (ranked.size() > 2 * limit) keep_best();
      }
    }
  keep_best();
  std::vector<SnakeShape> shapes;
  for (const Ranked& one : ranked) {
    const Choices& chosen = choices[static_cast<std::size_t>(one.choice)];
    chosen.pick(one.combination, picked);
    SnakeShape shape;
    shape.along = chosen.along();
    for (const CutStrips* strips : picked) shape.cuts.push_back(strips->cut);
    shape.swapped = one.swapped;
    shapes.push_back(std::move(shape));
  }
  // The other way of walking the slabs rarely matters: only if there is room.
  const std::size_t turning = shapes.size();
  for (std::size_t i = 0; i < turning && shapes.size() < limit; ++i) {
    shapes.push_back(shapes[i]);
    shapes.back().turning = false;
  }
  return shapes;
}

}  // namespace marshal::mapping
