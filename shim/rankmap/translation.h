// Translates ranks of one map into ranks of another, many at a time.
#pragma once

#include <cstdint>
#include <span>

#include "rankmap/rank_map.h"

namespace marshal {

// The ranks in a request, of a group of some size.
struct AskedRanks {
  AskedRanks(std::span<const std::int32_t> ranks, std::int32_t size);

  std::span<const std::int32_t> ranks;
  bool valid;  // all of them
  bool all;    // 0, 1, … size - 1, as most programs ask
};

// out[i] is the rank in `to` of the process with rank ranks[i] in `from`, or `absent`. Maps are tracked ones, and the
// ranks are valid; `out` has as many, elsewhere.
//
// Ranks become lpids and lpids ranks in passes over all of `out`. If many are asked for, one table is read once as a
// whole, and the other map is inverted as a whole. So a rank costs about the same in every form of the maps. Nothing of
// that is kept, except the inverse that some tables keep anyway.
void translate_valid(const RankMap& from, const AskedRanks& asked, const RankMap& to, std::int32_t absent,
                     std::span<std::int32_t> out);

}  // namespace marshal
