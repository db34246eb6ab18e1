#include "datatype/layout.h"

#include <algorithm>
#include <limits>

namespace marshal::datatype {

Pieces block(std::int64_t disp, std::int64_t length) {
  if (length == 0) return {};
  return {Piece{disp, length, 1, 0, {}}};
}

Pieces shifted(Pieces pieces, std::int64_t by) {
  for (auto& p : pieces) p.disp += by;
  return pieces;
}

std::int64_t packed_size(const Piece& piece) {
  return piece.count * (piece.body.empty() ? piece.length : packed_size(piece.body));
}

std::int64_t packed_size(const Pieces& pieces) {
  std::int64_t size = 0;
  for (const auto& p : pieces) size += packed_size(p);
  return size;
}

std::int64_t block_count(const Piece& piece) {
  return piece.count * (piece.body.empty() ? 1 : block_count(piece.body));
}

std::int64_t block_count(const Pieces& pieces) {
  std::int64_t blocks = 0;
  for (const auto& p : pieces) blocks += p.body.empty() ? p.count : block_count(p);
  return blocks;
}

bool is_contiguous(const Pieces& pieces) { return pieces.empty() || (pieces.size() == 1 && !pieces.front().is_loop()); }

Span touched_by_loop(const Piece& piece) {
  const Span inner = piece.body.empty() ? Span{0, piece.length} : touched(piece.body);
  const std::int64_t reach = (piece.count - 1) * piece.stride;
  return {piece.disp + inner.first + std::min<std::int64_t>(reach, 0),
          piece.disp + inner.end + std::max<std::int64_t>(reach, 0)};
}

Span touched(const Pieces& pieces) {
  Span all{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
  for (const auto& p : pieces) {
    const Span one = touched(p);
    all.first = std::min(all.first, one.first);
    all.end = std::max(all.end, one.end);
  }
  return pieces.empty() ? Span{0, 0} : all;
}

}  // namespace marshal::datatype
