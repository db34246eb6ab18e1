#include "pattern/evaluate.h"

#include <algorithm>
#include <array>

#include "pattern/linear_loops.h"

namespace marshal {
namespace {

// Runs of the fastest digit are filled; between them the other digits are counted up like an odometer.
template <int Digits>
void count_up(const StridedSequence<Digits>& sequence, std::int32_t first, std::span<std::int32_t> out) {
  struct Wheel {
    std::int32_t at, count;
    std::uint32_t stride;
  };
  std::array<Wheel, Digits> wheels{};
  const auto digits = static_cast<std::size_t>(sequence.digit_count());
  if (digits == 1) {
    const auto stride = static_cast<std::uint32_t>(sequence.stride());
    const auto start = static_cast<std::uint32_t>(sequence.offset()) + static_cast<std::uint32_t>(first) * stride;
    return fastest_linear_loops().fill({start, stride}, out);
  }
  std::int32_t rest = first;
  for (std::size_t k = 0; k < digits; ++k) {
    const auto digit = sequence.digit(static_cast<int>(k));
    const std::int32_t count = std::max(digit.count, 1);
    wheels[k] = {k + 1 < digits ? rest % count : rest, count, static_cast<std::uint32_t>(digit.stride)};
    rest /= count;
  }
  const std::uint32_t stride = wheels[0].stride;
  const auto round = static_cast<std::size_t>(wheels[0].count);
  auto within = static_cast<std::size_t>(wheels[0].at);
  auto start = static_cast<std::uint32_t>(sequence(first)) - static_cast<std::uint32_t>(within) * stride;
  for (std::size_t done = 0; done < out.size();) {
    const std::size_t run = std::min(out.size() - done, round - within);
    std::uint32_t value = start + static_cast<std::uint32_t>(within) * stride;
    for (std::int32_t* to = out.data() + done; to != out.data() + done + run; ++to, value += stride)
      *to = static_cast<std::int32_t>(value);
    done += run;
    within = 0;
    for (std::size_t k = 1; k < digits; ++k) {
      Wheel& wheel = wheels[k];
      start += wheel.stride;
      if (k + 1 == digits || ++wheel.at < wheel.count) break;
      start -= static_cast<std::uint32_t>(wheel.count) * wheel.stride;
      wheel.at = 0;
    }
  }
}

}  // namespace

void evaluate(const StridedBlocks& sequence, std::int32_t first, std::span<std::int32_t> out) {
  count_up(sequence, first, out);
}

void evaluate(const DeepStridedBlocks& sequence, std::int32_t first, std::span<std::int32_t> out) {
  count_up(sequence, first, out);
}

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
