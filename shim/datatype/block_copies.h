// How a kernel copies one block: policies with a static copy(to, from, length), and bytes(length) that it packs to. For
// kernel_templates.h alone, inside its target options and with internal linkage, as there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace marshal::datatype {
namespace {

// Copies of a constant length, inline. The attribute is needed: the compiler inlines less the more functions a file
// has.
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
#pragma GCC unroll 4
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

// The same by so many vectors at each end. V is a vector: V::bytes, V::load, V::store. (In loops over arrays g++ 12
// keeps the arrays on the stack.)
template <class V, std::int64_t... k>
[[gnu::always_inline]] inline void copy_ends_by(std::integer_sequence<std::int64_t, k...>, std::byte* to,
                                                const std::byte* from, std::int64_t length) {
  using Vector = decltype(V::load(from));
  const std::int64_t high_end = length - static_cast<std::int64_t>(sizeof...(k)) * V::bytes;
  const Vector low[] = {V::load(from + k * V::bytes)...}, high[] = {V::load(from + high_end + k * V::bytes)...};
  (V::store(to + k * V::bytes, low[k]), ...);
  (V::store(to + high_end + k * V::bytes, high[k]), ...);
}
template <class V, std::int64_t count>
[[gnu::always_inline]] inline void copy_ends_by(std::byte* to, const std::byte* from, std::int64_t length) {
  copy_ends_by<V>(std::make_integer_sequence<std::int64_t, count>(), to, from, length);
}

// Blocks of more than two vectors of half a line: the destination aligned, the first and the last overlapping the
// others. Whole lines were slower on Zen 4, which moves them in halves, wherever one side is not aligned. Four in a
// round: with one, it depended on where the compiler had put the loop whether the processor made a round in one cycle
// or in two.
template <class Half>
inline void copy_vectors(std::byte* to, const std::byte* from, std::int64_t length) {
  constexpr std::int64_t width = Half::bytes;
  const auto copy = [=](std::int64_t at) __attribute__((always_inline)) {
    Half::store(to + at, Half::load(from + at));
  };
  copy(0);
  std::int64_t i = width - static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) % width);
  for (; i + 4 * width < length; i += 4 * width) {
    copy(i);
    copy(i + width);
    copy(i + 2 * width);
    copy(i + 3 * width);
  }
  for (; i + width < length; i += width) copy(i);
  copy(length - width);
}

template <class Half>
inline void copy_long(std::byte* to, const std::byte* from, std::int64_t length) {
  constexpr std::int64_t beyond_caches = 256 * 1024;  // beyond it the C library is as good or better
  if (length > beyond_caches)
    __builtin_memcpy(to, from, static_cast<std::size_t>(length));
  else
    copy_vectors<Half>(to, from, length);
}

// One length for many blocks: the branches are predicted. Half is a vector of half a line, Widest the widest vector.
template <class Half, class Widest>
struct AnyLengthByVectors {
  static constexpr std::int64_t bytes(std::int64_t length) { return length; }
  [[gnu::always_inline]] static inline void copy(std::byte* to, const std::byte* from, std::int64_t length) {
    if (length > 128)
      copy_long<Half>(to, from, length);
    else if (length > 64)
      copy_ends_by<Widest, 64 / Widest::bytes>(to, from, length);
    else if (length > 32)
      copy_ends_by<Half, 1>(to, from, length);
    else
      copy_at_most<32>(to, from, length);
  }
};

// A single block: the fewer instructions the better, even if stores lie across two lines. The C library copies long
// ones by one instruction, which pays from some kilobytes on, but not for each of many blocks, in rows. (On Zen 5, GB/s
// for 32 KiB that lie in a second-level cache and beyond: 45 -> 52.)
template <class Half, class Widest>
struct OneByVectors {
  [[gnu::always_inline]] static inline void copy(std::byte* to, const std::byte* from, std::int64_t length) {
    constexpr std::int64_t long_alone = 4096;
    if (length > 128 && length <= 256)
      copy_ends_by<Half, 4>(to, from, length);
    else if (length > long_alone)
      __builtin_memcpy(to, from, static_cast<std::size_t>(length));
    else
      AnyLengthByVectors<Half, Widest>::copy(to, from, length);
  }
};

}  // namespace
}  // namespace marshal::datatype
