// How a kernel copies one block: policies with a static copy(to, from, length), and bytes(length) that it packs to. For
// kernel_templates.h alone, inside its target options and with internal linkage, as there.
#ifndef MARSHAL_DATATYPE_BLOCK_COPIES_H
#define MARSHAL_DATATYPE_BLOCK_COPIES_H

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace marshal::datatype {
namespace {

// Copies of a constant length, inline: said to the compiler, which inlines less and less where a file has many
// functions.
template <int length>
struct Constant {
  static constexpr std::int64_t bytes(std::int64_t) { return length; }
  [[gnu::always_inline]] static inline void copy(std::byte* to, const std::byte* from, std::int64_t) {
    __builtin_memcpy(to, from, static_cast<std::size_t>(length));
  }
};

// The same in parts of 16 bytes at most: vectors of half a line that lie across two lines take far longer where neither
// is in a cache.
template <int length>
struct ConstantInParts {
  static constexpr std::int64_t bytes(std::int64_t) { return length; }
  [[gnu::always_inline]] static inline void copy(std::byte* to, const std::byte* from, std::int64_t) {
    constexpr int part = 16, whole = length / part * part;
    for (int i = 0; i < whole; i += part) Constant<part>::copy(to + i, from + i, part);
    if constexpr (length > whole) Constant<length - whole>::copy(to + whole, from + whole, length - whole);
  }
};
template <int length>
using FarConstant = std::conditional_t<(length > 16), ConstantInParts<length>, Constant<length>>;

struct AnyLength {
  static constexpr std::int64_t bytes(std::int64_t length) { return length; }
  [[gnu::always_inline]] static inline void copy(std::byte* to, const std::byte* from, std::int64_t length) {
    __builtin_memcpy(to, from, static_cast<std::size_t>(length));
  }
};

// Two overlapping copies of constant length: no byte outside the block, and no loop for up to twice the length.
template <int size>
[[gnu::always_inline]] inline void copy_ends(std::byte* to, const std::byte* from, std::int64_t length) {
  std::byte low[size], high[size];
  __builtin_memcpy(low, from, size);
  __builtin_memcpy(high, from + length - size, size);
  __builtin_memcpy(to, low, size);
  __builtin_memcpy(to + length - size, high, size);
}

template <int size>
[[gnu::always_inline]] inline void copy_at_most(std::byte* to, const std::byte* from, std::int64_t length) {
  if constexpr (size == 1) {
    if (length == 1) *to = *from;
  } else {
    if (length > size / 2)
      copy_ends<size / 2>(to, from, length);
    else
      copy_at_most<size / 2>(to, from, length);
  }
}

// Blocks of more than two vectors of half a line: the destination aligned, the first and the last overlapping the
// others. Whole lines were slower on Zen 4, which moves them in halves, wherever one side is not aligned. Four in a
// round: with one, it depended on where the compiler had put the loop whether the processor made a round in one cycle
// or in two.
inline void copy_vectors(std::byte* to, const std::byte* from, std::int64_t length) {
  constexpr std::int64_t width = 32;
  using Vector = Constant<width>;
  Vector::copy(to, from, width);
  std::int64_t i = width - static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) % width);
  for (; i + 4 * width < length; i += 4 * width) {
    Vector::copy(to + i, from + i, width);
    Vector::copy(to + i + width, from + i + width, width);
    Vector::copy(to + i + 2 * width, from + i + 2 * width, width);
    Vector::copy(to + i + 3 * width, from + i + 3 * width, width);
  }
  for (; i + width < length; i += width) Vector::copy(to + i, from + i, width);
  Vector::copy(to + length - width, from + length - width, width);
}

inline void copy_long(std::byte* to, const std::byte* from, std::int64_t length) {
  constexpr std::int64_t beyond_caches = 256 * 1024;  // what the C library does there is as good or better
  if (length > beyond_caches)
    __builtin_memcpy(to, from, static_cast<std::size_t>(length));
  else
    copy_vectors(to, from, length);
}

// One length for many blocks: the branches are foreseen.
struct AnyLengthByVectors {
  static constexpr std::int64_t bytes(std::int64_t length) { return length; }
  [[gnu::always_inline]] static inline void copy(std::byte* to, const std::byte* from, std::int64_t length) {
    if (length > 128)
      copy_long(to, from, length);
    else
      copy_at_most<128>(to, from, length);
  }
};

}  // namespace
}  // namespace marshal::datatype

#endif
