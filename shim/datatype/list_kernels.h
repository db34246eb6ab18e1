// The inner loops for lists of blocks: by displacements, by pairs of them, and with a length for each block. For
// kernel_templates.h alone, inside its target options and with internal linkage, as there.
#pragma once

#include <bit>
#include <type_traits>

#include "datatype/block_copies.h"
#include "datatype/kernels.h"

namespace marshal::datatype {
namespace {

// Two offsets by one load: loads limit lists of short blocks.
static_assert(std::endian::native == std::endian::little);
struct TwoOffsets {
  std::int64_t first, second;
};
[[gnu::always_inline]] inline TwoOffsets two_offsets(const std::int32_t* offsets) {
  std::int64_t both;
  __builtin_memcpy(&both, offsets, sizeof both);
  return {static_cast<std::int32_t>(both), both >> 32};
}

// Short blocks that together fill a vector: half the stores or loads, or a quarter.
template <int count, int length>
struct JoinedBlocks {
  using Block =
      std::conditional_t<length == 4, std::int32_t, double>;  // a double enters either half of a vector at once
  static constexpr bool fit = (length == 4 || length == 8) && (count * length == 16 || count * length == 32);
  typedef Block Vector __attribute__((vector_size(fit ? count * length : 16)));

  [[gnu::always_inline]] static inline Block load(const std::byte* from) {
    Block block;
    __builtin_memcpy(&block, from, length);
    return block;
  }
  template <class... Places>
  [[gnu::always_inline]] static inline void copy(std::byte* to, Places... from) {
    const Vector v = {load(from)...};
    __builtin_memcpy(to, &v, sizeof v);
  }
};

// Four blocks of a list to consecutive bytes.
template <class Block>
struct FourBlocks {
  [[gnu::always_inline]] static inline void copy(std::byte* to, const std::byte* from, TwoOffsets a, TwoOffsets b,
                                                 std::int64_t length) {
    const std::int64_t step = Block::bytes(length);
    Block::copy(to, from + a.first, length);
    Block::copy(to + step, from + a.second, length);
    Block::copy(to + 2 * step, from + b.first, length);
    Block::copy(to + 3 * step, from + b.second, length);
  }
};
template <>
struct FourBlocks<Constant<4>> {
  [[gnu::always_inline]] static inline void copy(std::byte* to, const std::byte* from, TwoOffsets a, TwoOffsets b,
                                                 std::int64_t) {
    JoinedBlocks<4, 4>::copy(to, from + a.first, from + a.second, from + b.first, from + b.second);
  }
};
template <>
struct FourBlocks<Constant<8>> {
  [[gnu::always_inline]] static inline void copy(std::byte* to, const std::byte* from, TwoOffsets a, TwoOffsets b,
                                                 std::int64_t) {
    JoinedBlocks<2, 8>::copy(to, from + a.first, from + a.second);
    JoinedBlocks<2, 8>::copy(to + 16, from + b.first, from + b.second);
  }
};

template <class Block>
void gather_blocks(std::byte* packed, const std::byte* user, const std::int32_t* offsets, std::int64_t count,
                   std::int64_t length) {
  const std::int64_t step = Block::bytes(length);
  std::int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    FourBlocks<Block>::copy(packed, user, two_offsets(offsets + i), two_offsets(offsets + i + 2), length);
    packed += 4 * step;
  }
  for (; i < count; ++i) {
    Block::copy(packed, user + offsets[i], length);
    packed += step;
  }
}

template <class Block>
void scatter(std::byte* user, const std::byte* packed, const std::int32_t* offsets, std::int64_t count,
             std::int64_t length) {
  const std::int64_t step = Block::bytes(length);
  std::int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const TwoOffsets a = two_offsets(offsets + i), b = two_offsets(offsets + i + 2);
    Block::copy(user + a.first, packed, length);
    Block::copy(user + a.second, packed + step, length);
    Block::copy(user + b.first, packed + 2 * step, length);
    Block::copy(user + b.second, packed + 3 * step, length);
    packed += 4 * step;
  }
  for (; i < count; ++i) {
    Block::copy(user + offsets[i], packed, length);
    packed += step;
  }
}

template <class Block>
void copy_pairs(std::byte* to, const std::byte* from, const std::int32_t* to_offsets, const std::int32_t* from_offsets,
                std::int64_t count, std::int64_t length) {
  std::int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const TwoOffsets there = two_offsets(to_offsets + i), here = two_offsets(from_offsets + i);
    const TwoOffsets there_too = two_offsets(to_offsets + i + 2), here_too = two_offsets(from_offsets + i + 2);
    Block::copy(to + there.first, from + here.first, length);
    Block::copy(to + there.second, from + here.second, length);
    Block::copy(to + there_too.first, from + here_too.first, length);
    Block::copy(to + there_too.second, from + here_too.second, length);
  }
  for (; i < count; ++i) Block::copy(to + to_offsets[i], from + from_offsets[i], length);
}

template <class Block>
void gather_ragged_blocks(std::byte* packed, const std::byte* user, const Ragged& blocks) {
  for (std::int64_t i = 0; i < blocks.count; ++i) {
    Block::copy(packed, user + blocks.offsets[i], blocks.lengths[i]);
    packed += blocks.lengths[i];
  }
}

template <class Block>
void scatter_ragged_blocks(std::byte* user, const std::byte* packed, const Ragged& blocks) {
  for (std::int64_t i = 0; i < blocks.count; ++i) {
    Block::copy(user + blocks.offsets[i], packed, blocks.lengths[i]);
    packed += blocks.lengths[i];
  }
}

}  // namespace
}  // namespace marshal::datatype
