#include "rankmap/group_algebra.h"

#include <algorithm>
#include <numeric>

#include "rankmap/scratch_array.h"
#include "rankmap/translation.h"

namespace marshal {
namespace {

// The rank in `b` of each process of `a`; -1: it is not in `b`.
void find_all(const RankMap& a, const RankMap& b, std::span<std::int32_t> found) {
  ScratchArray<std::int32_t> ranks(found.size());
  std::iota(ranks.all().begin(), ranks.all().end(), 0);
  translate_valid(a, AskedRanks(ranks.all(), a.size()), b, -1, found);
}

// Ranks of `a` that are in `b` (`wanted`), or are not.
std::vector<std::int32_t> select(const RankMap& a, const RankMap& b, bool wanted) {
  ScratchArray<std::int32_t> in_b(static_cast<std::size_t>(a.size()));
  const std::span<const std::int32_t> found = in_b.all();
  find_all(a, b, in_b.all());
  std::vector<std::int32_t> ranks(found.size());
  std::size_t kept = 0;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    ranks[kept] = static_cast<std::int32_t>(rank);
    kept += (found[rank] >= 0) == wanted ? 1 : 0;
  }
  ranks.resize(kept);
  return ranks;
}

bool all_found(const RankMap& a, const RankMap& b) {
  // Groups that differ mostly do so from the start.
  constexpr std::int32_t first_few = 2;
  for (std::int32_t rank = 0; rank < std::min(first_few, a.size()); ++rank)
    if (b.rank_of(a.process(rank)) < 0) return false;
  ScratchArray<std::int32_t> found(static_cast<std::size_t>(a.size()));
  find_all(a, b, found.all());
  return std::find(found.all().begin(), found.all().end(), -1) == found.all().end();
}

// The bits of ranks that are named; empty when one is outside or named twice.
std::optional<std::vector<bool>> named(std::int32_t size, std::span<const std::int32_t> ranks) {
  std::vector<bool> seen(static_cast<std::size_t>(size));
  for (const std::int32_t rank : ranks) {
    if (rank < 0 || rank >= size || seen[static_cast<std::size_t>(rank)]) return std::nullopt;
    seen[static_cast<std::size_t>(rank)] = true;
  }
  return seen;
}

}  // namespace

GroupRelation compare(const RankMap& a, const RankMap& b) {
  if (a.size() != b.size()) return GroupRelation::unequal;
  if (a.same_representation(b)) return GroupRelation::identical;
  // Formulas are canonical: two that differ are not identical, unless both are empty.
  const bool formulas = a.formula() != nullptr && b.formula() != nullptr;
  bool identical = !formulas || a.size() == 0;
  if (identical && a.size() > 0) identical = a.process(0) == b.process(0) && a.processes() == b.processes();
  if (identical) return GroupRelation::identical;
  return all_found(a, b) ? GroupRelation::similar : GroupRelation::unequal;
}

bool translate(const RankMap& from, std::span<const std::int32_t> ranks, const RankMap& to, RankSentinels sentinels,
               std::span<std::int32_t> out) {
  if (const AskedRanks asked(ranks, from.size()); asked.valid) {
    translate_valid(from, asked, to, sentinels.undefined, out);
    return true;
  }
  std::vector<std::int32_t> valid, places;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::int32_t rank = ranks[i];
    if (rank == sentinels.proc_null) continue;
    if (rank < 0 || rank >= from.size()) return false;
    valid.push_back(rank);
    places.push_back(static_cast<std::int32_t>(i));
  }
  std::vector<std::int32_t> found(valid.size());
  translate_valid(from, AskedRanks(valid, from.size()), to, sentinels.undefined, found);
  std::fill(out.begin(), out.end(), sentinels.proc_null);
  for (std::size_t i = 0; i < found.size(); ++i) out[static_cast<std::size_t>(places[i])] = found[i];
  return true;
}

std::vector<std::int32_t> intersection(const RankMap& a, const RankMap& b) { return select(a, b, true); }

std::vector<std::int32_t> difference(const RankMap& a, const RankMap& b) { return select(a, b, false); }

RankMap set_union(const RankMap& a, const RankMap& b) {
  const std::vector<std::int32_t> added = difference(b, a);
  return added.empty() ? a : RankMap::concatenate(a, b.derive(added));
}

bool valid_ranks(std::int32_t size, std::span<const std::int32_t> ranks) { return named(size, ranks).has_value(); }

std::optional<std::vector<std::int32_t>> expand_ranges(std::int32_t size, std::span<const RankRange> ranges) {
  std::vector<std::int32_t> ranks;
  for (const auto& [first, last, stride] : ranges) {
    if (stride == 0) return std::nullopt;
    const std::int64_t steps = (std::int64_t{last} - first) / stride;
    if (steps < 0 || (first != last && (last > first) != (stride > 0))) return std::nullopt;
    const std::int64_t reached = first + steps * stride;
    if (first < 0 || first >= size || reached < 0 || reached >= size) return std::nullopt;
    for (std::int64_t k = 0; k <= steps; ++k) ranks.push_back(static_cast<std::int32_t>(first + k * stride));
  }
  if (!valid_ranks(size, ranks)) return std::nullopt;
  return ranks;
}

std::optional<std::vector<std::int32_t>> all_but(std::int32_t size, std::span<const std::int32_t> ranks) {
  const auto excluded = named(size, ranks);
  if (!excluded) return std::nullopt;
  std::vector<std::int32_t> rest;
  rest.reserve(static_cast<std::size_t>(size) - ranks.size());
  for (std::int32_t r = 0; r < size; ++r) {
    if (!(*excluded)[static_cast<std::size_t>(r)]) rest.push_back(r);
  }
  return rest;
}

}  // namespace marshal
