// A box of cells of a grid, and walks over it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/grid.h"

namespace marshal::mapping {

struct Box {
  std::vector<int> begin, end;

  int length(std::size_t dim) const { return end[dim] - begin[dim]; }
  std::int64_t cells() const {
    std::int64_t product = 1;
    for (std::size_t d = 0; d < begin.size(); ++d) product *= length(d);
    return product;
  }
};

inline Box whole_box(const Grid& grid) { return {std::vector<int>(grid.dims.size(), 0), grid.dims}; }

// Visits the cells of the box, the last dimension of `order` fastest.
template <typename Visit>
void walk_box(const Box& box, std::span<const std::int64_t> strides, std::span<const std::size_t> order, Visit&& visit,
              std::int64_t base = 0) {
  if (order.empty()) {
    visit(base);
    return;
  }
  const std::size_t dim = order.front();
  for (int i = box.begin[dim]; i < box.end[dim]; ++i)
    walk_box(box, strides, order.subspan(1), visit, base + i * strides[dim]);
}

}  // namespace marshal::mapping
