// How many different handles were seen, in 8 KiB.
//
// The host gives the handle of a request that ended to a later one. So of requests that nobody saw end there are not
// many, if they had few handles: they ended unseen, by PMPI_ functions or inside callbacks.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/always_inline.h"

namespace marshal {

// Any thread may add.
class DistinctHandles {
 public:
  MARSHAL_ALWAYS_INLINE void add(std::uint64_t handle) noexcept {
    const std::uint64_t number = handle * 0x9E3779B97F4A7C15ULL >> (64 - number_bits);
    std::atomic<std::uint64_t>& word = words_[number / 64];
    const std::uint64_t bit = std::uint64_t{1} << number % 64;
    if ((word.load(std::memory_order_relaxed) & bit) == 0) word.fetch_or(bit, std::memory_order_relaxed);
  }
  // Some per cent more or less, by the part of the bits that is still clear. Infinite if none is.
  // Source: Whang, Vander-Zanden, Taylor, "A Linear-Time Probabilistic Counting Algorithm for Database Applications".
  double count() const noexcept {
    int clear = 0;
    for (const std::atomic<std::uint64_t>& word : words_) clear += std::popcount(~word.load(std::memory_order_relaxed));
    constexpr double all = std::size_t{1} << number_bits;
    return clear == 0 ? HUGE_VAL : -all * std::log(clear / all);
  }

 private:
  static constexpr int number_bits = 16;
  std::array<std::atomic<std::uint64_t>, (std::size_t{1} << number_bits) / 64> words_{};
};

}  // namespace marshal
