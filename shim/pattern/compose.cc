#include "pattern/compose.h"

#include <array>
#include <limits>

namespace marshal {
namespace {

constexpr int places = StridedBlocks::places;
using Digit = StridedBlocks::Digit;

// An index of the outer sequence, written in the outer's own radix.
using Position = std::array<std::int64_t, places>;

// The outer sequence as a place where increments can be applied digit by digit, as long as none of them carries.
class Radix {
 public:
  explicit Radix(const StridedBlocks& outer) : levels_(static_cast<std::size_t>(outer.digit_count())) {
    for (std::size_t j = 0; j < levels_; ++j) {
      const Digit d = outer.digit(static_cast<int>(j));
      block_[j] = outer.block(static_cast<int>(j));
      stride_[j] = d.stride;
      // The last digit has no bound here: the caller guarantees that the values are indices of the outer sequence.
      count_[j] = j + 1 < levels_ ? d.count : std::numeric_limits<std::int64_t>::max();
    }
  }

  Position position(std::int64_t index) const {
    Position p{};
    for (std::size_t j = 0; j < levels_; ++j)
      p[j] = j + 1 < levels_ ? index / block_[j] % count_[j] : index / block_[j];
    return p;
  }

  // True if `steps` increments of `increment` stay within every digit.
  bool fits(const Position& increment, std::int64_t steps) const {
    for (std::size_t j = 0; j + 1 < levels_; ++j) {
      if (increment[j] * steps >= count_[j]) return false;
    }
    return true;
  }

  // The number of increments of `increment` that fill exactly one round of its only digit; 0 if there is none.
  std::int64_t round(const Position& increment) const {
    std::int64_t steps = 0;
    for (std::size_t j = 0; j < levels_; ++j) {
      if (increment[j] == 0) continue;
      if (steps != 0 || j + 1 == levels_ || count_[j] % increment[j] != 0) return 0;
      steps = count_[j] / increment[j];
    }
    return steps;
  }

  bool add(Position& total, const Position& increment, std::int64_t steps) const {
    for (std::size_t j = 0; j < levels_; ++j) total[j] += increment[j] * steps;
    return fits(total, 1);
  }

  // The amount that one such increment adds to the value.
  std::int64_t gain(const Position& increment) const {
    std::int64_t sum = 0;
    for (std::size_t j = 0; j < levels_; ++j) sum += increment[j] * stride_[j];
    return sum;
  }

 private:
  std::size_t levels_;
  std::array<std::int64_t, places> block_{}, stride_{}, count_{};
};

// A linear outer sequence stretches every digit, whatever the inner one is.
StridedBlocks scale(const StridedBlocks& outer, const StridedBlocks& inner) {
  const auto factor = static_cast<std::uint32_t>(outer.digit(0).stride);
  const auto count = static_cast<std::size_t>(inner.digit_count());
  std::array<Digit, places> digits{};
  for (std::size_t k = 0; k < count; ++k) {
    digits[k] = inner.digit(static_cast<int>(k));
    digits[k].stride = static_cast<std::int32_t>(factor * static_cast<std::uint32_t>(digits[k].stride));
  }
  return *StridedBlocks::from_digits(outer(inner.offset()), {digits.data(), count}, inner.size());
}

}  // namespace

std::optional<StridedBlocks> compose(const StridedBlocks& outer, const StridedBlocks& inner) {
  if (inner.empty()) return StridedBlocks{};
  if (outer.is_identity()) return inner;
  if (outer.is_linear()) return scale(outer, inner);
  const Radix radix(outer);

  // Walk the inner sequence from its lowest corner, so that every increment is positive.
  std::int64_t lowest = inner.offset();
  for (int k = 0; k < inner.digit_count(); ++k) {
    const Digit d = inner.digit(k);
    if (d.stride < 0) lowest += std::int64_t{d.stride} * (d.count - 1);
  }
  // An incomplete last round may reach below zero although no value of it does.
  if (lowest < 0) return std::nullopt;
  Position total = radix.position(lowest);

  std::array<Digit, 3 * places> digits{};
  std::size_t used = 0;
  for (int k = 0; k < inner.digit_count(); ++k) {
    const bool last = k + 1 == inner.digit_count();
    Digit d = inner.digit(k);
    const bool reversed = d.stride < 0;
    std::int64_t stride = reversed ? -std::int64_t{d.stride} : d.stride;
    // A digit that passes whole rounds of an outer digit falls apart into one that fills the round and one that counts
    // them.
    for (;;) {
      const Position increment = radix.position(stride);
      const std::int64_t round = radix.fits(increment, d.count - 1) ? d.count : radix.round(increment);
      if (round == 0 || used == digits.size()) return std::nullopt;
      const std::int64_t gain = radix.gain(increment);
      if (gain > std::numeric_limits<std::int32_t>::max() || gain < std::numeric_limits<std::int32_t>::min()) {
        return std::nullopt;
      }
      if (!radix.add(total, increment, round - 1)) return std::nullopt;
      digits[used++] = {static_cast<std::int32_t>(round), static_cast<std::int32_t>(reversed ? -gain : gain)};
      if (round >= d.count) break;
      const bool whole = d.count % round == 0;
      if (!whole && (!last || reversed)) return std::nullopt;
      d.count = static_cast<std::int32_t>((d.count + round - 1) / round);
      stride *= round;
    }
  }
  return StridedBlocks::from_digits(outer(inner.offset()), {digits.data(), used}, inner.size());
}

std::optional<StridedBlocks> slice(const StridedBlocks& values, std::int32_t first, std::int32_t n) {
  if (first == 0) return values.prefix(n);
  return compose(values, StridedBlocks::linear(first, 1, n));
}

std::optional<StridedBlocks> concatenate(const StridedBlocks& low, const StridedBlocks& high) {
  if (low.empty()) return high;
  if (high.empty()) return low;
  const std::int64_t size = std::int64_t{low.size()} + high.size();
  if (size > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  const auto total = static_cast<std::int32_t>(size);

  std::array<Digit, places + 1> digits{};
  const auto count = static_cast<std::size_t>(low.digit_count());
  for (std::size_t k = 0; k < count; ++k) digits[k] = low.digit(static_cast<int>(k));
  // Either `high` continues where `low` stops, or it begins a new round of a further digit.
  const bool whole = low.size() % low.block(static_cast<int>(count) - 1) == 0;
  const std::int64_t jump = std::int64_t{high.offset()} - low.offset();
  const bool in_range =
      jump <= std::numeric_limits<std::int32_t>::max() && jump >= std::numeric_limits<std::int32_t>::min();
  digits[count] = {high.size(), static_cast<std::int32_t>(in_range ? jump : 0)};
  for (const std::size_t used : {count, count + 1}) {
    if (used > count && (!whole || !in_range)) continue;
    const auto joined = StridedBlocks::from_digits(low.offset(), {digits.data(), used}, total);
    if (!joined || joined->prefix(low.size()) != low) continue;
    const auto rest = slice(*joined, low.size(), high.size());
    if (rest && *rest == high) return joined;
  }
  return std::nullopt;
}

}  // namespace marshal
