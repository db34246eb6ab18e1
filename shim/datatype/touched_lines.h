// The number of cache lines that a layout touches: no way of packing can do with fewer.
#pragma once

#include <cstdint>

#include "datatype/layout.h"

namespace marshal::datatype {

// Distinct 64-byte lines of `count` instances, `extent` bytes apart, whose displacement 0 is at the beginning of a
// line. Beyond a million blocks, an upper bound: lines that several blocks share count for each.
std::int64_t touched_lines(const Pieces& pieces, std::int64_t extent = 0, std::int64_t count = 1);

}  // namespace marshal::datatype
