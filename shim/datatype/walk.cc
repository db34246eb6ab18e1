#include "datatype/walk.h"

#include <cstring>

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

}  // namespace marshal::datatype
