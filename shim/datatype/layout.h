// The layout of a datatype in canonical form: its bytes and their order, independent of how the type was built
// (MARs, section V: IOVECs merged wherever contiguous; here repeats are kept as loops instead of expanded).
//
// A piece is a contiguous block of bytes, or a loop over a block or over a sequence of pieces. Read in order, the
// pieces give the packed bytes. Every operation below returns canonical sequences if given canonical ones:
// - blocks that follow each other in memory and in pack order are one block, across the iterations of a loop too;
// - three or more equal pieces at a constant stride are a loop, found greedily from the left, shallow loops first;
// - then sequences of pieces, repeated three times or more (eight times if longer than `longest_short_period`), are a
//   loop over that sequence, short ones first;
// - loops of one or two iterations are written out;
// - a list of blocks in which nothing repeats (irregular_list.cc) stays a list, with runs that arose by chance.
// Canonicalisation expands loops only if few blocks leave a choice (form_of_blocks): the size of the description bounds
// the work, not the counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace marshal::datatype {

struct Piece {
  std::int64_t disp = 0;    // bytes from the origin, or, inside a body, from the loop's own disp
  std::int64_t length = 0;  // of the block, if body is empty
  std::int64_t count = 1;   // iterations, 1 for a plain block
  std::int64_t stride = 0;  // bytes between iterations
  std::vector<Piece> body;  // what is repeated, if it is not a single block; its first piece is at 0

  bool is_loop() const { return count > 1; }
  bool operator==(const Piece&) const = default;
};

using Pieces = std::vector<Piece>;

inline constexpr std::size_t longest_short_period = 32;
inline constexpr std::int64_t most_blocks_written_out = 4096;  // 50 ns each, 500 at worst (measured)
inline constexpr std::size_t most_pieces = std::size_t{1} << 22;

// Thrown if a layout has more than `most_pieces` pieces without a common pattern.
struct LayoutTooLarge : std::length_error {
  LayoutTooLarge() : std::length_error("datatype layout too large") {}
};

// The packed bytes [from, to).
struct PackedRange {
  std::int64_t from, to;
};

Pieces block(std::int64_t disp, std::int64_t length);
Pieces shifted(Pieces pieces, std::int64_t by);

// `count` copies, `stride` bytes apart.
Pieces repeated(const Pieces& pieces, std::int64_t count, std::int64_t stride);

// Canonical form of a sequence of canonical pieces. Blocks of no length are allowed and dropped.
Pieces joined(Pieces sequence);

// The form that depends on the blocks and their order alone, however the type was built: the canonical form of their
// list. Sequences of more than `most_blocks_written_out` blocks stay as they are.
Pieces form_of_blocks(Pieces pieces);

// The blocks in pack order, without loops.
Pieces blocks_of(const Pieces& pieces);

std::int64_t packed_size(const Piece& piece);
std::int64_t packed_size(const Pieces& pieces);
std::int64_t block_count(const Piece& piece);
std::int64_t block_count(const Pieces& pieces);
bool is_contiguous(const Pieces& pieces);

// Distinct 64-byte lines of `count` instances, `extent` bytes apart, whose displacement 0 is at the beginning of a
// line: no way of packing can do with fewer. Beyond a million blocks, an upper bound: lines that several blocks share
// count for each.
std::int64_t touched_lines(const Pieces& pieces, std::int64_t extent = 0, std::int64_t count = 1);

// The smallest and one past the largest byte touched; {0, 0} if there is none.
struct Span {
  std::int64_t first, end;
};
Span touched(const Pieces& pieces);
Span touched_by_loop(const Piece& piece);
inline Span touched(const Piece& piece) {
  return piece.is_loop() || !piece.body.empty() ? touched_by_loop(piece) : Span{piece.disp, piece.disp + piece.length};
}

}  // namespace marshal::datatype
