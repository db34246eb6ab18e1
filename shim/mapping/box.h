// A box of cells of a grid, and a walk over it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/grid.h"

namespace marshal::mapping {

struct Box {
  std::vector<int> begin, end;

  int length(std::size_t dim) const { return end[dim] - begin[dim]; }
  std::vector<int> sides() const {
    std::vector<int> all(begin.size());
    for (std::size_t d = 0; d < all.size(); ++d) all[d] = length(d);
    return all;
  }
  // The number of its first cell.
  std::int64_t first(std::span<const std::int64_t> strides) const {
    std::int64_t cell = 0;
    for (std::size_t d = 0; d < begin.size(); ++d) cell += begin[d] * strides[d];
    return cell;
  }
  std::int64_t cells() const {
    std::int64_t product = 1;
    for (std::size_t d = 0; d < begin.size(); ++d) product *= length(d);
    return product;
  }
};

inline Box whole_box(const Grid& grid) { return {std::vector<int>(grid.dims.size(), 0), grid.dims}; }

// A walk over a box with these sides, as the offsets of its cells from the first. The last dimension of `order` runs
// fastest. If `turning`, each dimension runs forth and back in
// turn, whenever a dimension before it goes on. Dimensions that are not in `order` stand still.
inline std::vector<std::int32_t> walk_in_order(std::span<const int> sides, std::span<const std::int64_t> strides,
                                               std::span<const std::size_t> order, bool turning) {
  std::vector<std::int32_t> walk{0};
  for (std::size_t k = order.size(); k-- > 0;) {
    const std::size_t once = walk.size();
    walk.reserve(once * static_cast<std::size_t>(sides[order[k]]));
    for (int i = 1; i < sides[order[k]]; ++i) {
      const auto shift = static_cast<std::int32_t>(i * strides[order[k]]);
      const bool back = turning && i % 2 != 0;
      for (std::size_t j = 0; j < once; ++j) walk.push_back(walk[back ? once - 1 - j : j] + shift);
    }
  }
  return walk;
}

}  // namespace marshal::mapping
