#include "datatype/position_marks.h"

namespace marshal::datatype {
namespace {

PackedBlock find_in(const Piece& piece, std::int64_t begin, std::int64_t offset) {
  const std::int64_t unit = piece.body.empty() ? piece.length : packed_size(piece.body);
  begin += (offset - begin) / unit * unit;
  if (piece.body.empty()) return {begin, piece.length};
  for (const Piece& inner : piece.body) {
    const std::int64_t size = packed_size(inner);
    if (offset < begin + size) return find_in(inner, begin, offset);
    begin += size;
  }
  return {offset, 0};  // not reached: the body has `unit` bytes
}

}  // namespace

BlockFinder::BlockFinder(const Pieces& pieces) : pieces_(pieces) {
  begins_.reserve(pieces.size());
  std::int64_t begin = 0;
  for (const Piece& piece : pieces) {
    begins_.push_back(begin);
    begin += packed_size(piece);
  }
  marks_ = PositionMarks(begins_.data(), begins_.size(), begin);
}

PackedBlock BlockFinder::find(std::int64_t offset) const {
  const auto i = static_cast<std::size_t>(marks_.below(begins_.data(), offset + 1)) - 1;
  return find_in(pieces_[i], begins_[i], offset);
}

}  // namespace marshal::datatype
