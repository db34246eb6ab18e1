#include "datatype/touched_lines.h"

#include <algorithm>
#include <vector>

#include "datatype/walk.h"

namespace marshal::datatype {
namespace {

constexpr std::int64_t most_walked = 1 << 20;

std::int64_t upper_bound(const Pieces& pieces) {
  std::int64_t lines = 0;
  for (const auto& p : pieces) lines += p.count * (p.body.empty() ? (p.length + 126) / 64 : upper_bound(p.body));
  return lines;
}

}  // namespace

std::int64_t touched_lines(const Pieces& pieces, std::int64_t extent, std::int64_t count) {
  if (block_count(pieces) * count > most_walked) return count * upper_bound(pieces);
  struct Lines {
    std::int64_t first, last;
  };
  std::vector<Lines> all;
  for (std::int64_t i = 0; i < count; ++i)
    for_each_block(pieces, i * extent, 0, {0, packed_size(pieces)},
                   [&](std::int64_t disp, std::int64_t, std::int64_t length) {
                     all.push_back({disp >> 6, (disp + length - 1) >> 6});
                   });
  std::sort(all.begin(), all.end(), [](const Lines& a, const Lines& b) { return a.first < b.first; });
  std::int64_t lines = 0, counted = all.empty() ? 0 : all.front().first;  // up to here, not included
  for (const Lines& l : all) {
    const std::int64_t first = std::max(l.first, counted);
    if (l.last < first) continue;
    lines += l.last - first + 1;
    counted = l.last + 1;
  }
  return lines;
}

}  // namespace marshal::datatype
