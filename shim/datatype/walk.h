// Blocks of a layout in pack order, one at a time: the plain reading of the canonical form, for any part of the packed
// bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "datatype/layout.h"

namespace marshal::datatype {

// Calls visit(disp, offset, length) for what lies in `range` of pieces whose origin is at `disp` and whose packed bytes
// begin at `offset`. Whole iterations before the range are skipped at once.
template <class Visit>
void for_each_block(const Pieces& pieces, std::int64_t disp, std::int64_t offset, PackedRange range, Visit&& visit) {
  for (const Piece& p : pieces) {
    if (offset >= range.to) return;
    if (!p.is_loop() && p.body.empty()) {  // as all of a list: the short way
      const std::int64_t begin = std::max<std::int64_t>(range.from - offset, 0);
      const std::int64_t stop = std::min(range.to - offset, p.length);
      if (begin < stop) visit(disp + p.disp + begin, offset + begin, stop - begin);
      offset += p.length;
      continue;
    }
    const std::int64_t unit = p.body.empty() ? p.length : packed_size(p.body);
    const std::int64_t end = offset + unit * p.count;
    if (end > range.from) {
      std::int64_t i = range.from > offset ? (range.from - offset) / unit : 0;
      for (; i < p.count && offset + i * unit < range.to; ++i) {
        const std::int64_t at = disp + p.disp + i * p.stride, packed = offset + i * unit;
        if (p.body.empty()) {
          const std::int64_t begin = std::max<std::int64_t>(range.from - packed, 0);
          const std::int64_t stop = std::min(range.to - packed, unit);
          visit(at + begin, packed + begin, stop - begin);
        } else {
          for_each_block(p.body, at, packed, range, visit);
        }
      }
    }
    offset = end;
  }
}

// Packing by the plain reading of a layout, one memcpy a block: the reference that plans and kernels are tested with.
// `count` instances, `extent` bytes apart, of a layout whose origin is at `user`. Only the packed bytes of `range` are
// copied; packed byte `range.from` stands at `packed`.
void reference_pack(const Pieces& pieces, std::int64_t extent, std::int64_t count, const std::byte* user,
                    std::byte* packed, PackedRange range);
void reference_unpack(const Pieces& pieces, std::int64_t extent, std::int64_t count, std::byte* user,
                      const std::byte* packed, PackedRange range);

}  // namespace marshal::datatype
