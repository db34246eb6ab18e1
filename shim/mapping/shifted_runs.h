// All pairs (cell, cell + one stencil offset) of a grid, as few long runs of consecutive cells whose partners are
// consecutive too: wrap-around and borders are settled once a run, so that what is done with the pairs are plain loops
// over two arrays.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "mapping/grid.h"

namespace marshal::mapping {

class ShiftedRuns {
 public:
  ShiftedRuns(const Grid& grid, std::span<const int> offset) : strides_(row_major_strides(grid)) {
    bool alive = grid.cells() > 0;
    for (int d = 0; d < grid.ndims(); ++d) {
      const int length = grid.length(d);
      const int step = offset[static_cast<std::size_t>(d)];
      Segments part;
      if (step == 0 || !alive) {
        part.add(0, length, 0);
      } else if (grid.wraps(d)) {
        const int forward = ((step % length) + length) % length;
        part.add(0, length - forward, forward);
        if (forward != 0) part.add(length - forward, length, forward - length);
      } else if (step < length && -step < length) {
        part.add(step < 0 ? -step : 0, step < 0 ? length : length - step, step);
      } else {
        alive = false;
      }
      segments_.push_back(part);
    }
    // Dimensions after the last one that is cut or shifted belong to a run as a whole.
    inner_ = grid.ndims();
    while (inner_ > 0 && segments_[at(inner_ - 1)].whole(grid.length(inner_ - 1))) --inner_;
    if (!alive || inner_ == 0) inner_ = -1;  // no pairs, or each cell with itself
  }

  // Calls visit(first, shift, count): cells first … first+count-1 each have the partner cell+shift. A cell that would
  // be its own partner (once around a periodic dimension) is no pair.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    if (inner_ > 0) walk(0, 0, 0, visit);
  }

 private:
  struct Segment {
    int begin, end, shift;
  };
  struct Segments {
    std::array<Segment, 2> list{};
    int count = 0;
    void add(int begin, int end, int shift) {
      if (begin < end) list[static_cast<std::size_t>(count++)] = {begin, end, shift};
    }
    bool whole(int length) const {
      return count == 1 && list[0].begin == 0 && list[0].end == length && list[0].shift == 0;
    }
  };
  static std::size_t at(int dim) { return static_cast<std::size_t>(dim); }

  template <typename Visit>
  void walk(int dim, std::int64_t base, std::int64_t shift, Visit&& visit) const {
    const Segments& here = segments_[at(dim)];
    const std::int64_t stride = strides_[at(dim)];
    for (int k = 0; k < here.count; ++k) {
      const Segment& segment = here.list[at(k)];
      const std::int64_t moved = shift + segment.shift * stride;
      if (dim + 1 == inner_) {
        visit(base + segment.begin * stride, moved, (segment.end - segment.begin) * stride);
      } else {
        for (int i = segment.begin; i < segment.end; ++i) walk(dim + 1, base + i * stride, moved, visit);
      }
    }
  }

  std::vector<std::int64_t> strides_;
  std::vector<Segments> segments_;
  int inner_ = 0;
};

}  // namespace marshal::mapping
