// The least memory for lpids without a pattern, in which lookups stay fast.
#pragma once

#include <cstdint>
#include <span>

#include "pattern/strided_blocks.h"
#include "rankmap/rank_table.h"

namespace marshal {

// Rank r is entry index(r) of the table.
struct CompactMap {
  StridedBlocks index;
  TableRef table;
};

// More than three nested digits stay a formula. Else bits packed to the range of the lpids, unless runs of neighbours,
// or for a monotone sequence a bitmap or Elias–Fano, need at most half of that: they cost a bisection or a select more.
// A table of the same contents that lives already is shared. `lpids` is not empty.
CompactMap compact(std::int32_t group, std::span<const std::int32_t> lpids);

}  // namespace marshal
