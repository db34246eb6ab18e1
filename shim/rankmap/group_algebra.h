// MPI's operations on groups, worked out on rank maps in linear or constant time. Source: the MPI standard, 7.3.
//
// Maps are tracked ones. Results that are lists of ranks refer to the first group, so that the host can be handed the
// same group as one MPI_Group_incl. Erroneous arguments, by the standard, give no result: the host reports
// the error.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "rankmap/rank_map.h"

namespace marshal {

enum class GroupRelation { identical, similar, unequal };

// Identical: the same processes in the same order; similar: in another.
GroupRelation compare(const RankMap& a, const RankMap& b);

// The host's MPI_UNDEFINED and MPI_PROC_NULL.
struct RankSentinels {
  std::int32_t undefined;
  std::int32_t proc_null;
};

// out[i] is the rank in `to` of the process with rank ranks[i] in `from`; `undefined` where it has none; proc_null
// stays. False, and nothing promised of `out`, when a rank is no rank of `from`.
bool translate(const RankMap& from, std::span<const std::int32_t> ranks, const RankMap& to, RankSentinels sentinels,
               std::span<std::int32_t> out);

// Ranks of `a`, in its order, of the processes that are in `b`, or are not.
std::vector<std::int32_t> intersection(const RankMap& a, const RankMap& b);
std::vector<std::int32_t> difference(const RankMap& a, const RankMap& b);
// All of `a`, then what `b` adds, in its order.
RankMap set_union(const RankMap& a, const RankMap& b);

// first, last, stride: as MPI_Group_range_incl takes them.
using RankRange = std::array<std::int32_t, 3>;

// True if the ranks can be included or excluded: all in [0, size), none twice.
bool valid_ranks(std::int32_t size, std::span<const std::int32_t> ranks);
// The ranks that the ranges name, in their order; nothing if a stride is zero, a rank is outside, or one is named
// twice.
std::optional<std::vector<std::int32_t>> expand_ranges(std::int32_t size, std::span<const RankRange> ranges);
// The other ranks of 0 … size-1; nothing if the ranks are not valid.
std::optional<std::vector<std::int32_t>> all_but(std::int32_t size, std::span<const std::int32_t> ranks);

}  // namespace marshal
