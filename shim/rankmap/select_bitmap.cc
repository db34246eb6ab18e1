#include "rankmap/select_bitmap.h"

#include <algorithm>
#include <bit>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace marshal {
namespace {

constexpr std::size_t words_of_block = 8;  // in a block of 512 bits
constexpr std::int64_t bits_of_block = 512;
constexpr std::int64_t sampled_ones = 512;

std::int64_t select_plain(const std::uint64_t* words, std::int64_t i) {
  std::int64_t position = 0;
  for (;; ++words, position += 64) {
    const int ones = std::popcount(*words);
    if (i < ones) break;
    i -= ones;
  }
  std::uint64_t word = *words;
  for (; i > 0; --i) word &= word - 1;
  return position + std::countr_zero(word);
}

#ifdef __x86_64__
__attribute__((target("popcnt,bmi,bmi2"))) std::int64_t select_bmi2(const std::uint64_t* words, std::int64_t i) {
  std::int64_t position = 0;
  for (;; ++words, position += 64) {
    const std::int64_t ones = _mm_popcnt_u64(*words);
    if (i < ones) break;
    i -= ones;
  }
  return position + static_cast<std::int64_t>(_tzcnt_u64(_pdep_u64(std::uint64_t{1} << i, *words)));
}

#endif

constexpr SelectKernel known_kernels[] = {
#ifdef __x86_64__
    {"bmi2", select_bmi2},
#endif
    {"plain", select_plain}};

}  // namespace

std::span<const SelectKernel> select_kernels() {
#ifdef __x86_64__
  const bool fast = __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  return std::span(known_kernels).subspan(fast ? 0 : 1);
#else
  return known_kernels;
#endif
}

SelectBitmap::SelectBitmap(std::int64_t bits)
    : words_(static_cast<std::size_t>((bits + bits_of_block - 1) / bits_of_block) * words_of_block) {}

void SelectBitmap::seal() {
  const std::size_t blocks = words_.size() / words_of_block;
  ones_before_.resize(blocks + 1);
  std::uint32_t ones = 0;
  for (std::size_t block = 0; block < blocks; ++block) {
    ones_before_[block] = ones;
    for (std::size_t w = 0; w < words_of_block; ++w) {
      ones += static_cast<std::uint32_t>(std::popcount(words_[block * words_of_block + w]));
    }
    while (static_cast<std::int64_t>(block_of_.size()) * sampled_ones < ones) {
      block_of_.push_back(static_cast<std::uint32_t>(block));
    }
  }
  ones_before_[blocks] = ones;
  block_of_.push_back(static_cast<std::uint32_t>(blocks == 0 ? 0 : blocks - 1));
  block_of_.shrink_to_fit();
}

std::int64_t SelectBitmap::rank(std::int64_t bit) const {
  const auto block = static_cast<std::size_t>(bit / bits_of_block);
  std::int64_t ones = ones_before_[block];
  const auto end = static_cast<std::size_t>(bit >> 6);
  for (std::size_t w = block * words_of_block; w < end; ++w) ones += std::popcount(words_[w]);
  if ((bit & 63) != 0) ones += std::popcount(words_[end] & ((std::uint64_t{1} << (bit & 63)) - 1));
  return ones;
}

std::int64_t SelectBitmap::select(std::int64_t i) const {
  static const auto in_block = select_kernels().front().run;
  const auto sample = static_cast<std::size_t>(i / sampled_ones);
  const auto first = ones_before_.begin() + block_of_[sample] + 1;
  const auto last = ones_before_.begin() + block_of_[sample + 1] + 1;
  // The first block whose successor has more than i ones before it.
  const auto after = std::upper_bound(first, last, static_cast<std::uint32_t>(i));
  const auto block = static_cast<std::size_t>(after - ones_before_.begin()) - 1;
  return static_cast<std::int64_t>(block) * bits_of_block +
         in_block(words_.data() + block * words_of_block, i - ones_before_[block]);
}

std::size_t SelectBitmap::heap_bytes() const {
  return words_.capacity() * sizeof(std::uint64_t) +
         (ones_before_.capacity() + block_of_.capacity()) * sizeof(std::uint32_t);
}

std::size_t SelectBitmap::estimate(std::int64_t bits, std::int64_t ones) {
  const std::int64_t blocks = (bits + bits_of_block - 1) / bits_of_block;
  return static_cast<std::size_t>(blocks * 64 + (blocks + 1 + ones / sampled_ones + 2) * 4);
}

}  // namespace marshal
