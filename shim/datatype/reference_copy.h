// Packing by the plain reading of a layout, one memcpy a block: the reference that plans and kernels are tested with.
#pragma once

#include <cstddef>
#include <cstdint>

#include "datatype/walk.h"

namespace marshal::datatype {

// `count` instances, `extent` bytes apart, of a layout whose origin is at `user`. Only the packed bytes of `range` are
// copied; packed byte `range.from` stands at `packed`.
void reference_pack(const Pieces& pieces, std::int64_t extent, std::int64_t count, const std::byte* user,
                    std::byte* packed, PackedRange range);
void reference_unpack(const Pieces& pieces, std::int64_t extent, std::int64_t count, std::byte* user,
                      const std::byte* packed, PackedRange range);

}  // namespace marshal::datatype
