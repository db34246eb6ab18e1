// A set of small integers as bits, with rank and select in a few cache misses.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace marshal {

// Directory: a count of ones every 512 bits and a pointer every 512 ones, a tenth of the bits themselves. Immutable
// once sealed; then any thread may ask.
class SelectBitmap {
 public:
  explicit SelectBitmap(std::int64_t bits);
  void set(std::int64_t bit) { words_[static_cast<std::size_t>(bit >> 6)] |= std::uint64_t{1} << (bit & 63); }
  // Makes the directory: after the last set(), before the first question.
  void seal();

  bool test(std::int64_t bit) const { return (words_[static_cast<std::size_t>(bit >> 6)] >> (bit & 63) & 1) != 0; }
  // Ones below `bit`.
  std::int64_t rank(std::int64_t bit) const;
  // The position of one number i, counted from 0; i < the number of ones.
  std::int64_t select(std::int64_t i) const;

  // visit(position) for every one, in order.
  template <class Visit>
  void for_each_one(Visit visit) const {
    for (std::size_t w = 0; w < words_.size(); ++w)
      for (std::uint64_t word = words_[w]; word != 0; word &= word - 1)
        visit(static_cast<std::int64_t>(w * 64) + std::countr_zero(word));
  }

  std::size_t heap_bytes() const;
  // The memory that a bitmap of that many bits and ones will take.
  static std::size_t estimate(std::int64_t bits, std::int64_t ones);

 private:
  std::vector<std::uint64_t> words_;  // whole blocks of 512 bits
  std::vector<std::uint32_t> ones_before_;
  std::vector<std::uint32_t> block_of_;
};

// Position of one number i, counted from 0, among words that hold at least i + 1.
struct SelectKernel {
  const char* name;
  std::int64_t (*run)(const std::uint64_t* words, std::int64_t i);
};
// The kernels that this processor can run, the fastest first; the last is the plain loop, the oracle of the others.
std::span<const SelectKernel> select_kernels();

}  // namespace marshal
