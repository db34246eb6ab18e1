// Included once by each file of kernels, inside its target options: everything here has internal linkage, so that no
// code for one instruction set is ever shared with another. Only plain language and compiler built-ins, no library
// functions that could be emitted out of line.
#pragma once

#include "datatype/block_copies.h"
#include "datatype/kernels.h"
#include "datatype/list_kernels.h"

namespace marshal::datatype {
namespace {

template <class V>
void stream_block(std::byte* to, const std::byte* from, std::int64_t length) {
  if (length < 2 * V::bytes) {
    __builtin_memcpy(to, from, static_cast<std::size_t>(length));
    return;
  }
  V::store(to, V::load(from));
  V::store(to + length - V::bytes, V::load(from + length - V::bytes));
  std::int64_t i = V::bytes - static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) % V::bytes);
  for (; i + V::bytes <= length; i += V::bytes) V::stream(to + i, V::load(from + i));
}

template <class Block>
[[gnu::always_inline]] inline void copy_row(std::byte* to, const std::byte* from, const Rows& row,
                                            std::int64_t length) {
  const std::int64_t to_stride = row.to, from_stride = row.from;
  const auto one = [&]() __attribute__((always_inline)) {
    Block::copy(to, from, length);
    to += to_stride;
    from += from_stride;
  };
  std::int64_t n = row.count;
  for (; n >= 4; n -= 4) {
    one();
    one();
    one();
    one();
  }
  for (; n > 0; --n) one();
}

template <class Block>
[[gnu::noinline]] void copy_many_rows(std::byte* to, const std::byte* from, const Rows& inner, const Rows& outer,
                                      std::int64_t length) {
  const Rows row = inner, rows = outer;
  for (std::int64_t j = 0; j < rows.count; ++j) copy_row<Block>(to + j * rows.to, from + j * rows.from, row, length);
}

template <class Block>
void copy_rows(std::byte* to, const std::byte* from, const Rows& inner, const Rows& outer, std::int64_t length) {
  if (outer.count == 1) return copy_row<Block>(to, from, inner, length);
  copy_many_rows<Block>(to, from, inner, outer, length);
}

// The same where one side's blocks fall into one set of the first-level cache. The processor fetches the lines of
// copies to come into that set, where they push out one another before it is their turn: a plain loop, and two more
// stores in each round, to a line that is there, leave room for fewer copies to come. (On Zen 4, ns for 64 copies of 8
// bytes 32 KiB apart: packed 190-220 -> 150, unpacked 260-360 -> 220.)
template <class Block>
void copy_crowded_rows(std::byte* to, const std::byte* from, const Rows& inner, const Rows& outer,
                       std::int64_t length) {
  const Rows row = inner, rows = outer;
  for (std::int64_t j = 0; j < rows.count; ++j) {
    std::byte* t = to + j * rows.to;
    const std::byte* f = from + j * rows.from;
    [[maybe_unused]] volatile std::int32_t beside;
#pragma GCC unroll 1
    for (std::int64_t n = row.count; n > 0; --n, t += row.to, f += row.from) {
      Block::copy(t, f, length);
      beside = 0;
      beside = 0;
    }
  }
}

template <class One>
[[gnu::always_inline]] inline void twice_each(std::int64_t times, One one) {
  for (; times >= 2; times -= 2) {
    one();
    one();
  }
  if (times > 0) one();
}

template <int count, int length>
void gather_fields(std::byte* packed, const std::byte* user, const FieldPlaces& places, const Rows& rows) {
  using Joined = JoinedBlocks<count, length>;
  const FieldPlaces at = places;
  const std::int64_t packed_stride = rows.to, user_stride = rows.from;
  twice_each(
      rows.count, [&]() __attribute__((always_inline)) {
        if constexpr (Joined::fit) {
          typename Joined::Vector v;
#pragma GCC unroll 4
          for (int k = 0; k < count; ++k) v[k] = Joined::load(user + at.user[k]);
          __builtin_memcpy(packed, &v, sizeof v);
        } else {
#pragma GCC unroll 4
          for (int k = 0; k < count; ++k) Constant<length>::copy(packed + k * length, user + at.user[k], length);
        }
        packed += packed_stride;
        user += user_stride;
      });
}

template <int count, int length>
void scatter_fields(std::byte* user, const std::byte* packed, const FieldPlaces& places, const Rows& rows) {
  using Joined = JoinedBlocks<count, length>;
  const FieldPlaces at = places;
  const std::int64_t user_stride = rows.to, packed_stride = rows.from;
  twice_each(
      rows.count, [&]() __attribute__((always_inline)) {
        if constexpr (Joined::fit && length == 8) {
          typename Joined::Vector v;
          __builtin_memcpy(&v, packed, sizeof v);
#pragma GCC unroll 4
          for (int k = 0; k < count; ++k) {
            const typename Joined::Block field = v[k];
            __builtin_memcpy(user + at.user[k], &field, length);
          }
        } else {
#pragma GCC unroll 4
          for (int k = 0; k < count; ++k) Constant<length>::copy(user + at.user[k], packed + k * length, length);
        }
        packed += packed_stride;
        user += user_stride;
      });
}

// Calls use(std::integral_constant) with the one of these numbers that `number` is, if there is one.
template <int... numbers, class Use>
void with_constant(std::int64_t number, Use use) {
  static_cast<void>(((number == numbers && (use(std::integral_constant<int, numbers>()), true)) || ...));
}

FieldCopies choose_fields(std::size_t count, std::int64_t length) {
  FieldCopies found;
  with_constant<2, 3, 4>(static_cast<std::int64_t>(count), [&](auto n) {
    with_constant<1, 2, 4, 8, 12, 16, 24, 32>(length, [&](auto bytes) {
      found = {&gather_fields<n, bytes>, &scatter_fields<n, bytes>};
    });
  });
  return found;
}

template <class Block, class FarBlock>
constexpr BlockLoops loops_of() {
  return {&copy_rows<Block>,     &copy_rows<FarBlock>, &copy_crowded_rows<Block>,
          &gather_blocks<Block>, &scatter<Block>,      &copy_pairs<Block>};
}

// Loops for this length alone if it is one out of 1 ... 16 and the multiples of 4 up to 64, else for any length.
template <class Any>
BlockLoops choose_loops(std::int64_t length) {
  BlockLoops loops = loops_of<Any, Any>();
  with_constant<1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64>(
      length, [&](auto bytes) { loops = loops_of<Constant<bytes>, FarConstant<bytes>>(); });
  return loops;
}

// The table of kernels, which every instruction set fills in the same way. It takes three copies of a block of any
// length: of a block alone (One), of one among many of its length (Any), and of one among many of other lengths
// (AnyOfRagged).
template <class One, class Any, class AnyOfRagged>
constexpr Kernels kernels_with(const char* name) {
  Kernels k{};
  k.name = name;
  k.copy = &One::copy;
  k.loops = &choose_loops<Any>;
  k.fields = &choose_fields;
  k.gather_ragged = &gather_ragged_blocks<AnyOfRagged>;
  k.scatter_ragged = &scatter_ragged_blocks<AnyOfRagged>;
  return k;
}

}  // namespace
}  // namespace marshal::datatype
