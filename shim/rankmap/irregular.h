// The least memory for lpids without a pattern, in which lookups stay fast.
#pragma once

#include <cstdint>
#include <span>

#include "pattern/strided_sequence.h"
#include "rankmap/rank_table.h"

namespace marshal {

// Rank r is entry index(r) of the table.
struct CompactMap {
  StridedBlocks index;
  TableRef table;
};

// More than three nested digits stay a formula. All else is packed to the bits that the range of the lpids needs. Other
// tables replace that if they need at most half of its memory, because their lookups cost one bisection or select more:
// runs of neighbours, or for a monotone sequence a bitmap or Elias–Fano. An existing table of the same contents is
// shared. `lpids` is not empty.
CompactMap compact(std::int32_t group, std::span<const std::int32_t> lpids);

}  // namespace marshal
