// A sequence of integers made of nested strides, as one branch-free formula.
//
// The index r is read in a mixed radix n_0, n_1, … (the last digit unbounded); digit k counts steps of stride s_k:
//
//     v(r) = offset + Σ_k s_k · digit_k(r)
//
// With B_k = n_0 · … · n_{k-1} the digits telescope to floor(r / B_k), and the divisions become reciprocals:
//
//     v(r) = offset + r · s_0 + Σ_{k≥1} hi64(r · M_k) · t_k,   M_k = ceil(2^64 / B_k),   t_k = s_k − n_{k−1} · s_{k−1}
//
// which is exact for every r below 2^32. Unused levels have M = t = 0. Arithmetic wraps, so intermediate terms may
// exceed 32 bits as long as the values themselves do not. The form is canonical: two sequences are equal element
// by element exactly when they compare equal. A value type: trivially copyable, safe to read from any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

namespace marshal {

__extension__ using uint128 = unsigned __int128;

template <int Digits>
class StridedSequence {
  static_assert(Digits >= 1);

 public:
  static constexpr int places = Digits;

  // `count` steps of `stride`.
  struct Digit {
    std::int32_t count;
    std::int32_t stride;
    bool operator==(const Digit&) const = default;
  };

  // The empty sequence.
  constexpr StridedSequence() = default;

  // offset, offset + stride, …
  static StridedSequence linear(std::int32_t offset, std::int32_t stride, std::int32_t size);

  // The first `size` values of the given digits, the fastest first; the last one goes on as far as `size` asks. Digits
  // that fuse or that `size` does not reach are dropped; none when more than Digits remain.
  static std::optional<StridedSequence> from_digits(std::int32_t offset, std::span<const Digit> digits,
                                                    std::int32_t size);

  // The value at r, 0 <= r < size(). Beyond size() the last digit goes on, as long as r is not negative.
  std::int32_t operator()(std::int32_t r) const {
    const std::uint64_t index = static_cast<std::uint32_t>(r);
    std::uint32_t value = offset_ + static_cast<std::uint32_t>(index) * stride_;
    for (std::size_t k = 0; k < level_count; ++k) {
      const auto quotient = static_cast<std::uint64_t>((static_cast<uint128>(index) * reciprocal_[k]) >> 64);
      value += static_cast<std::uint32_t>(quotient) * step_[k];
    }
    return static_cast<std::int32_t>(value);
  }

  // The smallest index that holds `value`, or -1. Closed form when the strides nest (as they do in a rank map, whose
  // values differ); sequences that overlap themselves are searched.
  std::int32_t index_of(std::int32_t value) const;

  // The first n values, 0 <= n <= size().
  StridedSequence prefix(std::int32_t n) const;

  std::int32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::int32_t offset() const { return static_cast<std::int32_t>(offset_); }

  // The stride of the fastest digit.
  std::int32_t stride() const { return static_cast<std::int32_t>(stride_); }

  // Digits in use, at least one; digit k, the fastest first. The count of the last digit is as far as size() reaches;
  // its last round may be incomplete.
  int digit_count() const;
  Digit digit(int k) const;
  // Elements under one step of digit k: the product of the counts of the digits below.
  std::int32_t block(int k) const {
    return k == 0 ? 1 : static_cast<std::int32_t>(block_[static_cast<std::size_t>(k - 1)]);
  }

  bool is_linear() const { return digit_count() == 1; }
  bool is_contiguous() const { return is_linear() && stride_ == 1; }
  bool is_identity() const { return is_contiguous() && offset_ == 0; }

  bool operator==(const StridedSequence&) const = default;

 private:
  static constexpr std::size_t level_count = static_cast<std::size_t>(Digits - 1);

  std::array<std::uint64_t, level_count> reciprocal_{};
  std::uint32_t offset_ = 0;
  std::uint32_t stride_ = 1;
  std::array<std::uint32_t, level_count> step_{};
  std::array<std::uint32_t, level_count> block_{};
  std::int32_t size_ = 0;
};

// Ranks. Three digits say direct, offset, stride of either sign, blocks, 3-D sub-arrays, Cart_sub of Cart_sub and
// transposes; 48 bytes leave room in the cache line for what a rank map keeps beside them.
using StridedBlocks = StridedSequence<3>;
static_assert(sizeof(StridedBlocks) == 48 && std::is_trivially_copyable_v<StridedBlocks>);

// Patterns of more than three digits, which are rare enough to live in a table of their own.
using DeepStridedBlocks = StridedSequence<6>;

}  // namespace marshal
