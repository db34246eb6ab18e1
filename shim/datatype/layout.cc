#include "datatype/layout.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "datatype/walk.h"

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

namespace {

constexpr std::int64_t most_walked = 1 << 20;

std::int64_t upper_bound(const Pieces& pieces) {
  std::int64_t lines = 0;
  for (const auto& p : pieces) lines += p.count * (p.body.empty() ? (p.length + 126) / 64 : upper_bound(p.body));
  return lines;
}

struct Lines {
  std::int64_t first, last;
};

// Adds up distinct lines of blocks whose first lines ascend.
class LineCounter {
 public:
  void add(const Lines& l) {
    const std::int64_t first = std::max(l.first, counted_to_);
    if (l.last < first) return;
    lines_ += l.last - first + 1;
    counted_to_ = l.last + 1;
  }
  std::int64_t lines() const { return lines_; }

 private:
  std::int64_t lines_ = 0, counted_to_ = std::numeric_limits<std::int64_t>::min();
};

}  // namespace

std::int64_t touched_lines(const Pieces& pieces, std::int64_t extent, std::int64_t count) {
  if (block_count(pieces) * count > most_walked) return count * upper_bound(pieces);
  const std::int64_t size = packed_size(pieces);
  const auto for_each = [&](auto visit) {
    for (std::int64_t i = 0; i < count; ++i)
      for_each_block(pieces, i * extent, 0, {0, size}, [&](std::int64_t disp, std::int64_t, std::int64_t length) {
        visit(Lines{disp >> 6, (disp + length - 1) >> 6});
      });
  };
  LineCounter in_order;
  bool ascending = true;
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  for_each([&](const Lines& l) {
    ascending = ascending && l.first >= last;
    last = l.first;
    in_order.add(l);
  });
  if (ascending) return in_order.lines();

  std::vector<Lines> all;
  for_each([&](const Lines& l) { all.push_back(l); });
  std::sort(all.begin(), all.end(), [](const Lines& a, const Lines& b) { return a.first < b.first; });
  LineCounter sorted;
  for (const Lines& l : all) sorted.add(l);
  return sorted.lines();
}

}  // namespace marshal::datatype
