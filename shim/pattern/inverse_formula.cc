#include "pattern/inverse_formula.h"

#include <algorithm>

namespace marshal {

InverseFormula::InverseFormula(const StridedBlocks& sequence) : sequence_(sequence), lowest_(sequence.offset()) {
  const int count = sequence.digit_count();
  for (int k = 0; k < count; ++k) {
    const auto digit = sequence.digit(k);
    const std::int64_t block = sequence.block(k);
    const bool reversed = digit.stride < 0;
    const std::int64_t stride = reversed ? -std::int64_t{digit.stride} : digit.stride;
    if (reversed) {
      lowest_ -= stride * (digit.count - 1);
      start_ += block * (digit.count - 1);
    }
    span_ += static_cast<std::uint64_t>(stride) * static_cast<std::uint64_t>(std::max(digit.count - 1, 0));
    ladder_[static_cast<std::size_t>(k)] = {0, static_cast<std::uint64_t>(stride),
                                            static_cast<std::uint64_t>(digit.count), reversed ? -block : block};
  }
  for (int k = 1; k < count; ++k) {
    for (int j = k;
         j > 0 && ladder_[static_cast<std::size_t>(j - 1)].stride < ladder_[static_cast<std::size_t>(j)].stride; --j) {
      std::swap(ladder_[static_cast<std::size_t>(j - 1)], ladder_[static_cast<std::size_t>(j)]);
    }
  }
  // Strides nest when each exceeds all that the smaller ones can add up to.
  std::uint64_t below = 0;
  for (int k = count; k-- > 0;) {
    Rung& rung = ladder_[static_cast<std::size_t>(k)];
    if (rung.stride <= below) return;
    rung.reciprocal = ((std::uint64_t{1} << 63) - 1) / rung.stride + 1;
    below += rung.stride * (rung.count - 1);
  }
  if (!sequence.empty()) rungs_ = count;
}

}  // namespace marshal
