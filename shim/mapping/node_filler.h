// Hands cells, in the order in which a mapper walks over them, to nodes, one node full after the other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "mapping/problem.h"

namespace marshal::mapping {

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
