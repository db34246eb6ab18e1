// The sparse group formats of Chaarawi and Gabriel: range, strided and bitmap, each written in ranks of the parent.
// Source: Evaluating Sparse Data Storage Techniques for MPI Groups and Communicators, section 2 and Table 1.
//
// As in the paper, a lookup goes through all ancestors up to the one that keeps a list of processes. Within the range
// and bitmap formats it walks from the start (whole words of a bitmap at a time). Marshal's own form is measured
// against that cost.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "rankmap/map_form.h"
#include "rankmap/rank_map.h"

namespace marshal {

// The paper's Table 1 for a group of the given parent: bytes of each format, nothing if it cannot describe the group.
struct SparseEstimates {
  std::int64_t plist;                   // a pointer a process
  std::int64_t range;                   // two ints a range of consecutive ranks
  std::optional<std::int64_t> strided;  // three ints
  std::optional<std::int64_t> bitmap;   // a bit for each process of the parent; increasing ranks only
};
SparseEstimates sparse_estimates(std::int32_t parent_size, std::span<const std::int32_t> parent_ranks);

// The format that `wanted` (plist … sparse) selects for that group: `wanted` itself if it can describe the group; for
// `sparse` the one with the least bytes, the first of equals; else plist.
MapForm sparse_format(MapForm wanted, std::int32_t parent_size, std::span<const std::int32_t> parent_ranks);

// A table in `format` (range, strided or bitmap) chained to the parent, which it keeps alive.
TableRef sparse_table(MapForm format, const RankMap& parent, std::span<const std::int32_t> parent_ranks);

}  // namespace marshal
