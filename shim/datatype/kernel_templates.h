// Included once by each file of kernels, inside its target options: everything here has internal linkage, so that no
// code for one instruction set is ever shared with another. Only plain language and compiler built-ins, no library
// functions that could be emitted out of line.
#ifndef MARSHAL_DATATYPE_KERNEL_TEMPLATES_H
#define MARSHAL_DATATYPE_KERNEL_TEMPLATES_H

#include "datatype/kernels.h"

namespace marshal::datatype {
namespace {

// Copies of a constant length, inline.
template <int length>
struct Constant {
  static inline void copy(std::byte* to, const std::byte* from, std::int64_t) {
    __builtin_memcpy(to, from, static_cast<std::size_t>(length));
  }
};

struct AnyLength {
  static inline void copy(std::byte* to, const std::byte* from, std::int64_t length) {
    __builtin_memcpy(to, from, static_cast<std::size_t>(length));
  }
};

template <class Block>
void copy_rows(std::byte* to, const std::byte* from, const Rows& inner, const Rows& outer, std::int64_t length) {
  const std::int64_t n = inner.count, inner_to = inner.to, inner_from = inner.from;
  for (std::int64_t j = 0; j < outer.count; ++j) {
    std::byte* d = to + j * outer.to;
    const std::byte* s = from + j * outer.from;
    std::int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
      Block::copy(d, s, length);
      Block::copy(d + inner_to, s + inner_from, length);
      Block::copy(d + 2 * inner_to, s + 2 * inner_from, length);
      Block::copy(d + 3 * inner_to, s + 3 * inner_from, length);
      d += 4 * inner_to;
      s += 4 * inner_from;
    }
    for (; i < n; ++i) {
      Block::copy(d, s, length);
      d += inner_to;
      s += inner_from;
    }
  }
}

template <class Block, class Offset>
void gather(std::byte* packed, const std::byte* user, const Offset* offsets, std::int64_t count, std::int64_t length) {
  std::int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    Block::copy(packed, user + offsets[i], length);
    Block::copy(packed + length, user + offsets[i + 1], length);
    Block::copy(packed + 2 * length, user + offsets[i + 2], length);
    Block::copy(packed + 3 * length, user + offsets[i + 3], length);
    packed += 4 * length;
  }
  for (; i < count; ++i) {
    Block::copy(packed, user + offsets[i], length);
    packed += length;
  }
}

template <class Block, class Offset>
void scatter(std::byte* user, const std::byte* packed, const Offset* offsets, std::int64_t count, std::int64_t length) {
  std::int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    Block::copy(user + offsets[i], packed, length);
    Block::copy(user + offsets[i + 1], packed + length, length);
    Block::copy(user + offsets[i + 2], packed + 2 * length, length);
    Block::copy(user + offsets[i + 3], packed + 3 * length, length);
    packed += 4 * length;
  }
  for (; i < count; ++i) {
    Block::copy(user + offsets[i], packed, length);
    packed += length;
  }
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

template <int size>
inline void transpose_rest(std::byte* to, std::int64_t to_row, const std::byte* from, std::int64_t from_row,
                           std::int64_t i_first, std::int64_t i_end, std::int64_t j_first, std::int64_t j_end) {
  for (std::int64_t i = i_first; i < i_end; ++i)
    for (std::int64_t j = j_first; j < j_end; ++j)
      __builtin_memcpy(to + i * to_row + j * size, from + j * from_row + i * size, size);
}

// Tiles in an order that reads and writes whole cache lines: a strip of up to eight lines of the source at a time.
template <int size, int tile, class Tile>
inline void transpose_by(Tile copy_tile, std::byte* to, std::int64_t to_row, const std::byte* from,
                         std::int64_t from_row, std::int64_t i_count, std::int64_t j_count) {
  const std::int64_t i_tiles = i_count / tile * tile, j_tiles = j_count / tile * tile;
  const std::int64_t strip = 512 / size;
  for (std::int64_t i0 = 0; i0 < i_tiles; i0 += strip) {
    const std::int64_t i1 = i0 + strip < i_tiles ? i0 + strip : i_tiles;
    for (std::int64_t j = 0; j < j_tiles; j += tile)
      for (std::int64_t i = i0; i < i1; i += tile)
        copy_tile(to + i * to_row + j * size, to_row, from + j * from_row + i * size, from_row);
  }
  transpose_rest<size>(to, to_row, from, from_row, 0, i_tiles, j_tiles, j_count);
  transpose_rest<size>(to, to_row, from, from_row, i_tiles, i_count, 0, j_count);
}

// Picks the instance for a length out of 1 ... 16 and the multiples of 4 up to 64, else for any length.
template <class Function, template <class> class Pick, class Any>
struct ByLength {
  template <int length>
  static constexpr Function constant() {
    return Pick<Constant<length>>::function;
  }
  static Function choose(std::int64_t length) {
    switch (length) {
      case 1:
        return constant<1>();
      case 2:
        return constant<2>();
      case 3:
        return constant<3>();
      case 4:
        return constant<4>();
      case 5:
        return constant<5>();
      case 6:
        return constant<6>();
      case 7:
        return constant<7>();
      case 8:
        return constant<8>();
      case 9:
        return constant<9>();
      case 10:
        return constant<10>();
      case 11:
        return constant<11>();
      case 12:
        return constant<12>();
      case 13:
        return constant<13>();
      case 14:
        return constant<14>();
      case 15:
        return constant<15>();
      case 16:
        return constant<16>();
      case 20:
        return constant<20>();
      case 24:
        return constant<24>();
      case 28:
        return constant<28>();
      case 32:
        return constant<32>();
      case 36:
        return constant<36>();
      case 40:
        return constant<40>();
      case 44:
        return constant<44>();
      case 48:
        return constant<48>();
      case 52:
        return constant<52>();
      case 56:
        return constant<56>();
      case 60:
        return constant<60>();
      case 64:
        return constant<64>();
      default:
        return Pick<Any>::function;
    }
  }
};

template <class Block>
struct PickRows {
  static constexpr CopyRows function = &copy_rows<Block>;
};
template <class Block>
struct PickGather32 {
  static constexpr Gather<std::int32_t> function = &gather<Block, std::int32_t>;
};
template <class Block>
struct PickScatter32 {
  static constexpr Scatter<std::int32_t> function = &scatter<Block, std::int32_t>;
};
template <class Block>
struct PickGather64 {
  static constexpr Gather<std::int64_t> function = &gather<Block, std::int64_t>;
};
template <class Block>
struct PickScatter64 {
  static constexpr Scatter<std::int64_t> function = &scatter<Block, std::int64_t>;
};

// What every instruction set fills in the same way, given how it copies a block of any length.
template <class Any>
constexpr Kernels kernels_with(const char* name) {
  Kernels k{};
  k.name = name;
  k.rows = &ByLength<CopyRows, PickRows, Any>::choose;
  k.gather32 = &ByLength<Gather<std::int32_t>, PickGather32, Any>::choose;
  k.scatter32 = &ByLength<Scatter<std::int32_t>, PickScatter32, Any>::choose;
  k.gather64 = &ByLength<Gather<std::int64_t>, PickGather64, Any>::choose;
  k.scatter64 = &ByLength<Scatter<std::int64_t>, PickScatter64, Any>::choose;
  k.gather_ragged = &gather_ragged_blocks<Any>;
  k.scatter_ragged = &scatter_ragged_blocks<Any>;
  return k;
}

}  // namespace
}  // namespace marshal::datatype

#endif
