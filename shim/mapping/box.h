// A box of cells of a grid, and a walk over it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "mapping/grid.h"
#include "mapping/problem.h"

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

// Hands cells, in the order in which a mapper walks over them, to nodes, one node full after the other.
class NodeFiller {
 public:
  // Both spans must outlive the filler. The shares must add up to the cells that will come.
  NodeFiller(std::span<const NodeShare> shares, std::span<std::int32_t> node_of_cell)
      : shares_(shares), node_of_cell_(node_of_cell) {
    next_node();
  }

  // The cells base + offsets[0], base + offsets[1], …, or in the opposite order.
  void path(std::int64_t base, std::span<const std::int32_t> offsets, bool reversed) {
    std::int32_t* out = node_of_cell_.data() + base;
    const std::size_t count = offsets.size();
    for (std::size_t done = 0; done < count;) {
      if (left_ == 0) next_node();
      const std::size_t stop = std::min(count, done + static_cast<std::size_t>(left_));
      left_ -= static_cast<std::int32_t>(stop - done);
      if (reversed) {
        for (; done < stop; ++done) out[offsets[count - 1 - done]] = node_;
      } else {
        for (; done < stop; ++done) out[offsets[done]] = node_;
      }
    }
  }

 private:
  void next_node() {
    while (left_ == 0 && !shares_.empty()) {
      node_ = shares_.front().node;
      left_ = shares_.front().cells;
      shares_ = shares_.subspan(1);
    }
  }

  std::span<const NodeShare> shares_;
  std::span<std::int32_t> node_of_cell_;
  std::int32_t node_ = 0;
  std::int32_t left_ = 0;
};

}  // namespace marshal::mapping
