// Many consecutive values of a strided sequence, at the speed of a linear fill.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "pattern/strided_sequence.h"

namespace marshal {

// out[i] = sequence(first + i).
void evaluate(const StridedBlocks& sequence, std::int32_t first, std::span<std::int32_t> out);
void evaluate(const DeepStridedBlocks& sequence, std::int32_t first, std::span<std::int32_t> out);

// From values back to indices, many at a time and without a division.

// Prepared once from a sequence, then a few multiplications a lookup. Equal to StridedBlocks::index_of for every value.
class InverseFormula {
 public:
  explicit InverseFormula(const StridedBlocks& sequence);

  std::int32_t operator()(std::int32_t value) const {
    auto rest = static_cast<std::uint64_t>(std::int64_t{value} - lowest_);
    if (rest > span_) return -1;
    if (rungs_ == 0) return sequence_.index_of(value);
    std::int64_t index = start_;
    for (int k = 0; k < rungs_; ++k) {
      const Rung& rung = ladder_[static_cast<std::size_t>(k)];
      const auto steps = static_cast<std::uint64_t>((static_cast<uint128>(2 * rest) * rung.reciprocal) >> 64);
      if (steps >= rung.count) return -1;
      rest -= steps * rung.stride;
      index += static_cast<std::int64_t>(steps) * rung.block;
    }
    return rest == 0 && index < sequence_.size() ? static_cast<std::int32_t>(index) : -1;
  }

 private:
  // A digit, the largest stride first. ceil(2^63 / stride), so that a stride of 1 has a reciprocal too.
  struct Rung {
    std::uint64_t reciprocal;
    std::uint64_t stride;
    std::uint64_t count;
    std::int64_t block;  // negative where the digit runs backwards
  };

  StridedBlocks sequence_;
  std::array<Rung, StridedBlocks::places> ladder_{};
  int rungs_ = 0;  // 0: strides that do not nest, left to index_of
  std::int64_t lowest_ = 0;
  std::uint64_t span_ = 0;
  std::int64_t start_ = 0;  // the index of the lowest value
};

}  // namespace marshal
