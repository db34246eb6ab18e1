#include "datatype/walk.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "datatype/layout.h"

namespace marshal::datatype {
namespace {

template <class Copy>
void for_each_block_of_all(const Pieces& pieces, std::int64_t extent, std::int64_t count, PackedRange range,
                           Copy copy) {
  const std::int64_t size = packed_size(pieces);
  if (size == 0) return;
  for (std::int64_t i = range.from / size; i < count && i * size < range.to; ++i)
    for_each_block(pieces, i * extent, i * size, range, copy);
}

}  // namespace

void reference_pack(const Pieces& pieces, std::int64_t extent, std::int64_t count, const std::byte* user,
                    std::byte* packed, PackedRange range) {
  for_each_block_of_all(pieces, extent, count, range, [&](std::int64_t disp, std::int64_t offset, std::int64_t length) {
    std::memcpy(packed + (offset - range.from), user + disp, static_cast<std::size_t>(length));
  });
}

void reference_unpack(const Pieces& pieces, std::int64_t extent, std::int64_t count, std::byte* user,
                      const std::byte* packed, PackedRange range) {
  for_each_block_of_all(pieces, extent, count, range, [&](std::int64_t disp, std::int64_t offset, std::int64_t length) {
    std::memcpy(user + disp, packed + (offset - range.from), static_cast<std::size_t>(length));
  });
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
