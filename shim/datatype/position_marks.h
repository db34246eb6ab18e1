// Marks in a sorted list of positions, so that one is found in a few steps wherever it lies: a search through all of a
// long list reads from memory that no near cache has.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "datatype/layout.h"

namespace marshal::datatype {

// How many numbers of a sorted list are below `limit`, without branches: the end of a fragment cannot be predicted.
template <class Number>
inline std::int64_t count_below(const Number* sorted, std::int64_t count, std::int64_t limit) {
  const Number* at = sorted;
  while (count > 0) {
    const std::int64_t half = (count + 1) / 2;
    at += at[half - 1] < limit ? half : 0;
    count -= half;
  }
  return at - sorted;
}

class PositionMarks {
 public:
  PositionMarks() = default;

  // Of `count` positions in [0, size). One mark for some sixteen of them.
  template <class Number>
  PositionMarks(const Number* sorted, std::size_t count, std::int64_t size) {
    constexpr std::int64_t each = 16;
    const std::int64_t apart = std::max<std::int64_t>(size / static_cast<std::int64_t>(count / each + 1), 1);
    shift_ = 63 - std::countl_zero(static_cast<std::uint64_t>(apart));
    const std::size_t marks = static_cast<std::size_t>(size >> shift_) + 2;
    below_.reserve(marks);
    std::size_t i = 0;
    for (std::size_t mark = 0; mark < marks; ++mark) {
      while (i < count && sorted[i] < static_cast<std::int64_t>(mark) << shift_) ++i;
      below_.push_back(static_cast<std::uint32_t>(i));
    }
  }

  // As the function of that name, for a limit in [0, size]. `sorted`: the same list, of which nothing is kept here.
  template <class Number>
  std::int64_t below(const Number* sorted, std::int64_t limit) const {
    const auto mark = static_cast<std::size_t>(limit >> shift_);
    const std::int64_t least = below_[mark], most = below_[mark + 1];
    return least + count_below(sorted + least, most - least, limit);
  }

  bool empty() const { return below_.empty(); }

 private:
  int shift_ = 0;
  std::vector<std::uint32_t> below_;  // [i]: how many positions are below i << shift_
};

// Finds the block that a packed byte of an instance belongs to.
struct PackedBlock {
  std::int64_t begin, length;  // in packed bytes
};

class BlockFinder {
 public:
  explicit BlockFinder(const Pieces& pieces);  // which it refers to

  // `offset` lies in [0, size of an instance).
  PackedBlock find(std::int64_t offset) const;

 private:
  const Pieces& pieces_;
  std::vector<std::int64_t> begins_;  // of the pieces
  PositionMarks marks_;
};

}  // namespace marshal::datatype
