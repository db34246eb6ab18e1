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
                           std::int64_t i_first, std::int64_t i_end, std::int64_t j_first, std::int64_t j_end) {
  for (std::int64_t i = i_first; i < i_end; ++i)
    for (std::int64_t j = j_first; j < j_end; ++j)
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

// Tiles in an order that reads and writes whole cache lines where caches can hold them. At the ends of rows and columns
// the last tile overlaps the one before it.
template <int size, int tile, class Tile>
inline void transpose_by(Tile copy_tile, std::byte* to, std::int64_t to_row, const std::byte* from,
                         std::int64_t from_row, std::int64_t i_count, std::int64_t j_count) {
  if (i_count < tile || j_count < tile) return transpose_rest<size>(to, to_row, from, from_row, 0, i_count, 0, j_count);
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
