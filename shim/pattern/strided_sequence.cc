#include "pattern/strided_sequence.h"

#include <algorithm>

namespace marshal {
namespace {

// A digit of a sequence with its stride made positive, so that values below `value` are looked for upwards.
struct Rung {
  std::int64_t count;
  std::int64_t stride;
  std::int64_t block;
  std::int64_t span_below;  // what the rungs of smaller stride can add at most
  bool reversed;
};

// Indices whose value is `rest` above the lowest one, the smallest of them; -1 when there is none.
std::int64_t search(std::span<const Rung> rungs, std::int64_t rest, std::int64_t index, std::int64_t size) {
  if (rungs.empty()) return rest == 0 && index < size ? index : -1;
  const Rung& rung = rungs.front();
  std::int64_t most = 0;
  std::int64_t least = 0;
  if (rung.stride != 0) {
    most = std::min(rung.count - 1, rest / rung.stride);
    const std::int64_t excess = rest - rung.span_below;
    least = excess > 0 ? (excess + rung.stride - 1) / rung.stride : 0;
  }
  std::int64_t found = -1;
  for (std::int64_t step = most; step >= least; --step) {
    const std::int64_t digit = rung.reversed ? rung.count - 1 - step : step;
    const std::int64_t candidate =
        search(rungs.subspan(1), rest - step * rung.stride, index + digit * rung.block, size);
    if (candidate >= 0 && (found < 0 || candidate < found)) found = candidate;
  }
  return found;
}

}  // namespace

template <int Digits>
StridedSequence<Digits> StridedSequence<Digits>::linear(std::int32_t offset, std::int32_t stride, std::int32_t size) {
  const Digit digit{size, stride};
  return *from_digits(offset, {&digit, 1}, size);
}

template <int Digits>
std::optional<StridedSequence<Digits>> StridedSequence<Digits>::from_digits(std::int32_t offset,
                                                                            std::span<const Digit> digits,
                                                                            std::int32_t size) {
  struct Kept {
    std::int64_t count;
    std::uint32_t stride;
  };
  std::array<Kept, Digits> kept{};
  std::size_t used = 0;
  std::int64_t reached = 1;  // elements that the digits kept so far tell apart
  for (const Digit& digit : digits) {
    if (reached >= size) break;
    if (digit.count == 1 && &digit != &digits.back()) continue;
    const auto stride = static_cast<std::uint32_t>(digit.stride);
    if (used > 0 && stride == static_cast<std::uint32_t>(static_cast<std::uint32_t>(kept[used - 1].count) *
                                                         kept[used - 1].stride)) {
      kept[used - 1].count *= digit.count;
    } else if (used == Digits) {
      return std::nullopt;
    } else {
      kept[used++] = {digit.count, stride};
    }
    reached *= digit.count;
  }

  StridedSequence result;
  if (size <= 0) return result;
  result.size_ = size;
  result.offset_ = static_cast<std::uint32_t>(offset);
  if (size > 1 && used > 0) result.stride_ = kept[0].stride;
  std::uint64_t block = 1;
  for (std::size_t k = 1; k < used; ++k) {
    const auto count = static_cast<std::uint64_t>(kept[k - 1].count);
    block *= count;
    result.block_[k - 1] = static_cast<std::uint32_t>(block);
    result.reciprocal_[k - 1] = ~std::uint64_t{0} / block + 1;
    result.step_[k - 1] =
        static_cast<std::uint32_t>(kept[k].stride - static_cast<std::uint32_t>(count) * kept[k - 1].stride);
  }
  return result;
}

template <int Digits>
int StridedSequence<Digits>::digit_count() const {
  int count = 1;
  while (count < Digits && block_[static_cast<std::size_t>(count - 1)] != 0) ++count;
  return count;
}

template <int Digits>
typename StridedSequence<Digits>::Digit StridedSequence<Digits>::digit(int k) const {
  std::uint32_t stride = stride_;
  for (int level = 1; level <= k; ++level) {
    const auto below = static_cast<std::uint32_t>(block(level) / block(level - 1));
    stride = static_cast<std::uint32_t>(step_[static_cast<std::size_t>(level - 1)] + below * stride);
  }
  const std::int32_t under = block(k);
  const std::int32_t count = k + 1 < digit_count()
                                 ? block(k + 1) / under
                                 : static_cast<std::int32_t>((std::int64_t{size_} + under - 1) / under);
  return {count, static_cast<std::int32_t>(stride)};
}

template <int Digits>
StridedSequence<Digits> StridedSequence<Digits>::prefix(std::int32_t n) const {
  std::array<Digit, Digits> digits{};
  const int count = digit_count();
  for (int k = 0; k < count; ++k) digits[static_cast<std::size_t>(k)] = digit(k);
  return *from_digits(offset(), {digits.data(), static_cast<std::size_t>(count)}, n);
}

template <int Digits>
std::int32_t StridedSequence<Digits>::index_of(std::int32_t value) const {
  if (size_ == 0) return -1;
  if (is_linear() && stride_ != 0) {
    const std::int64_t above = std::int64_t{value} - offset();
    const std::int64_t stride = digit(0).stride;
    const std::int64_t index = above / stride;
    return index >= 0 && index < size_ && index * stride == above ? static_cast<std::int32_t>(index) : -1;
  }
  std::array<Rung, Digits> rungs{};
  const auto count = static_cast<std::size_t>(digit_count());
  std::int64_t lowest = offset();
  for (std::size_t k = 0; k < count; ++k) {
    const Digit d = digit(static_cast<int>(k));
    const std::int64_t stride = d.stride;
    rungs[k] = {d.count, stride < 0 ? -stride : stride, block(static_cast<int>(k)), 0, stride < 0};
    if (stride < 0) lowest += stride * (d.count - 1);
  }
  const std::int64_t rest = std::int64_t{value} - lowest;
  if (rest < 0) return -1;
  const auto end = rungs.begin() + static_cast<std::ptrdiff_t>(count);
  std::sort(rungs.begin(), end, [](const Rung& a, const Rung& b) { return a.stride > b.stride; });
  for (std::size_t k = count - 1; k-- > 0;) {
    rungs[k].span_below = rungs[k + 1].span_below + rungs[k + 1].stride * (rungs[k + 1].count - 1);
  }
  return static_cast<std::int32_t>(search({rungs.data(), count}, rest, 0, size_));
}

template class StridedSequence<3>;
template class StridedSequence<6>;

}  // namespace marshal
