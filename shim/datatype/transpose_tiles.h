// The order of a transpose's tiles. As kernel_templates.h, for files of kernels alone: inside their target options,
// with internal linkage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace marshal::datatype {
namespace {

template <int size>
inline void transpose_rest(std::byte* to, std::int64_t to_row, const std::byte* from, std::int64_t from_row,
                           std::int64_t i_count, std::int64_t j_count) {
  for (std::int64_t i = 0; i < i_count; ++i)
    for (std::int64_t j = 0; j < j_count; ++j)
      __builtin_memcpy(to + i * to_row + j * size, from + j * from_row + i * size, size);
}

// How many rows of the destination are written at a time: eight times as many as a line of the source has elements, as
// many, or as a tile has. Rows whose distance is (nearly) a multiple of 2 KiB fall into few sets of the first-level
// cache: eight lines' worth of them push out one another. A tile's worth reads each line of the source in halves, at
// two times: not where its rows fall into few sets, too.
template <std::int64_t line, std::int64_t tile>
inline std::int64_t rows_at_a_time(std::int64_t to_row, std::int64_t from_row) {
  constexpr std::int64_t crowding = 2048, apart = 32;
  const std::int64_t past = to_row & (crowding - 1);
  if (past >= apart && past <= crowding - apart) return 8 * line;
  return from_row % crowding == 0 ? line : tile;
}

// Fewer rows, or fewer columns, than a tile has. Strips are one, two or four rows (columns) of the destination,
// `across` columns (rows) at a time. All strips of a place come one after the other: the lines there may fall into one
// cache set, and are then gone when the next strip would come along.
template <int size, class Strips, int rows>
inline void transpose_few_rows(std::byte* to, std::int64_t to_row, const std::byte* from, std::int64_t from_row,
                               std::int64_t j_count) {
  const auto strips = [=](std::int64_t j) __attribute__((always_inline)) {
    std::byte* t = to + j * size;
    const std::byte* f = from + j * from_row;
    if constexpr ((rows & 4) != 0) Strips::four_rows(t, to_row, f, from_row);
    constexpr int after_four = rows & 4;
    if constexpr ((rows & 2) != 0) Strips::two_rows(t + after_four * to_row, to_row, f + after_four * size, from_row);
    if constexpr ((rows & 1) != 0) Strips::row(t + (rows - 1) * to_row, f + (rows - 1) * size, from_row);
  };
  std::int64_t j = 0;
  for (; j + Strips::across <= j_count; j += Strips::across) strips(j);
  if (j < j_count) strips(j_count - Strips::across);
}

// Rows of the destination that fall into few sets of the first-level cache. The processor asks for the lines of all
// stores that wait in its queue: where that are more lines than the sets hold, they push out one another before it is
// their turn. More stores, to a line that is there, leave room for fewer others in the queue. (On Zen 5, in a bare
// loop, ns for a store of 16 bytes to each of 256 rows 4 KiB apart: 9.3, with 12 stores more 2.8. In these
// kernels: 3.3.)
inline std::int64_t stores_beside(std::int64_t row, std::int64_t rows) {
  constexpr std::int64_t many = 64;
  return rows < many ? 0 : row % 4096 == 0 ? 12 : row % 2048 == 0 ? 8 : 0;
}
[[gnu::always_inline]] inline void store_beside(volatile std::int32_t& beside, std::int64_t times) {
  for (; times > 0; times -= 4) {
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) beside = 0;
  }
}

template <int size, class Strips, int columns>
inline void transpose_few_columns(std::byte* to, std::int64_t to_row, const std::byte* from, std::int64_t from_row,
                                  std::int64_t i_count) {
  const auto strips = [=](std::int64_t i) __attribute__((always_inline)) {
    std::byte* t = to + i * to_row;
    const std::byte* f = from + i * size;
    if constexpr ((columns & 4) != 0) Strips::four_columns(t, to_row, f, from_row);
    constexpr int after_four = columns & 4;
    if constexpr ((columns & 2) != 0)
      Strips::two_columns(t + after_four * size, to_row, f + after_four * from_row, from_row);
    if constexpr ((columns & 1) != 0) Strips::column(t + (columns - 1) * size, to_row, f + (columns - 1) * from_row);
  };
  const std::int64_t more = stores_beside(to_row, i_count) * Strips::across;
  volatile std::int32_t beside;
  std::int64_t i = 0;
  for (; i + Strips::across <= i_count; i += Strips::across) {
    strips(i);
    store_beside(beside, more);
  }
  if (i < i_count) strips(i_count - Strips::across);
}

// At most `rows` rows or `columns` columns: the smaller numbers are tried one after the other.
template <int size, class Strips, int rows>
inline void transpose_at_most_rows(std::byte* to, std::int64_t to_row, const std::byte* from, std::int64_t from_row,
                                   std::int64_t i_count, std::int64_t j_count) {
  if (i_count == rows) return transpose_few_rows<size, Strips, rows>(to, to_row, from, from_row, j_count);
  if constexpr (rows > 1) transpose_at_most_rows<size, Strips, rows - 1>(to, to_row, from, from_row, i_count, j_count);
}
template <int size, class Strips, int columns>
inline void transpose_at_most_columns(std::byte* to, std::int64_t to_row, const std::byte* from, std::int64_t from_row,
                                      std::int64_t i_count, std::int64_t j_count) {
  if (j_count == columns) return transpose_few_columns<size, Strips, columns>(to, to_row, from, from_row, i_count);
  if constexpr (columns > 1)
    transpose_at_most_columns<size, Strips, columns - 1>(to, to_row, from, from_row, i_count, j_count);
}

// The strips of instruction sets that have none.
struct NoStrips {
  static constexpr std::int64_t across = 0;
};

template <int size, int tile, class Strips>
inline void transpose_narrow(std::byte* to, std::int64_t to_row, const std::byte* from, std::int64_t from_row,
                             std::int64_t i_count, std::int64_t j_count) {
  if constexpr (Strips::across > 0) {
    if (i_count < tile && j_count >= Strips::across)
      return transpose_at_most_rows<size, Strips, tile - 1>(to, to_row, from, from_row, i_count, j_count);
    if (j_count < tile && i_count >= Strips::across)
      return transpose_at_most_columns<size, Strips, tile - 1>(to, to_row, from, from_row, i_count, j_count);
  }
  transpose_rest<size>(to, to_row, from, from_row, i_count, j_count);
}

// Tiles in an order that reads and writes whole cache lines where caches can hold them. At the ends of rows and columns
// the last tile overlaps the one before it.
template <int size, int tile, class Strips, class Tile>
inline void transpose_by(Tile copy_tile, std::byte* to, std::int64_t to_row, const std::byte* from,
                         std::int64_t from_row, std::int64_t i_count, std::int64_t j_count) {
  if (i_count < tile || j_count < tile)
    return transpose_narrow<size, tile, Strips>(to, to_row, from, from_row, i_count, j_count);
  constexpr std::int64_t line = 64 / size;
  const std::int64_t strip = rows_at_a_time<line, tile>(to_row, from_row);
  // Tile after tile of one row of tiles after the other.
  const auto copy_tiles = [=](std::int64_t i_from, std::int64_t i_end, std::int64_t j_from)
      __attribute__((always_inline)) {
    const std::int64_t i_last = i_count - tile, j_last = j_count - tile;
    for (std::int64_t i = i_from; i < i_end; i += tile) {
      const std::int64_t i_in = i < i_last ? i : i_last;
      std::byte* t = to + i_in * to_row + j_from * size;
      const std::byte* f = from + j_from * from_row + i_in * size;
      std::int64_t j = j_from;
      for (; j <= j_last; j += tile, t += tile * size, f += tile * from_row) copy_tile(t, to_row, f, from_row);
      if (j < j_count)
        copy_tile(to + i_in * to_row + j_last * size, to_row, from + j_last * from_row + i_in * size, from_row);
    }
  };
  if (const std::int64_t more = stores_beside(to_row, i_count); more > 0 && j_count <= 2 * line) {
    volatile std::int32_t beside;
    for (std::int64_t i = 0; i < i_count; i += tile) {
      copy_tiles(i, i + tile < i_count ? i + tile : i_count, 0);
      store_beside(beside, more * tile);
    }
    return;
  }
  if (strip < line) return copy_tiles(0, i_count, 0);

  // A line of a line's worth of rows. Rows that lie farther apart, and may fall into one cache set, are finished first.
  const auto copy_lines = [=]<bool by_i>(std::byte * t, const std::byte* f, std::bool_constant<by_i>)
      __attribute__((always_inline)) {
#pragma GCC unroll 2
    for (std::int64_t x = 0; x < line; x += tile)
#pragma GCC unroll 2
      for (std::int64_t y = 0; y < line; y += tile) {
        const std::int64_t i = by_i ? x : y, j = by_i ? y : x;
        copy_tile(t + i * to_row + j * size, to_row, f + j * from_row + i * size, from_row);
      }
  };
  const std::int64_t i_lines = i_count / line * line, j_lines = j_count / line * line;
  const auto copy_all_lines = [=](auto by_i) __attribute__((always_inline)) {
    for (std::int64_t i_first = 0; i_first < i_lines; i_first += strip) {
      const std::int64_t lines = (i_lines - i_first < strip ? i_lines - i_first : strip) / line;
      for (std::int64_t j = 0; j < j_lines; j += line) {
        std::byte* t = to + i_first * to_row + j * size;
        const std::byte* f = from + j * from_row + i_first * size;
        for (std::int64_t n = lines; n > 0; --n, t += line * to_row, f += 64) copy_lines(t, f, by_i);
      }
    }
  };
  if (to_row > from_row)
    copy_all_lines(std::true_type{});
  else
    copy_all_lines(std::false_type{});
  copy_tiles(0, i_lines, j_lines);
  copy_tiles(i_lines, i_count, 0);
}

}  // namespace
}  // namespace marshal::datatype
