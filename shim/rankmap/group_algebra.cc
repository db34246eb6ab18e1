#include "rankmap/group_algebra.h"

#include "rankmap/rank_finder.h"

namespace marshal {
namespace {

// Ranks of `a` whose being in `b` is `wanted`.
std::vector<std::int32_t> select(const RankMap& a, const RankMap& b, bool wanted) {
  const RankFinder in_b(b);
  std::vector<std::int32_t> ranks;
  for (std::int32_t r = 0; r < a.size(); ++r) {
    if ((in_b(a.process(r)) >= 0) == wanted) ranks.push_back(r);
  }
  return ranks;
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

template <class Find>
bool translate_each(std::int32_t size, std::span<const std::int32_t> ranks, RankSentinels sentinels,
                    std::span<std::int32_t> out, Find find) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::int32_t rank = ranks[i];
    if (rank < 0 || rank >= size) {
      if (rank != sentinels.proc_null) return false;
      out[i] = sentinels.proc_null;
      continue;
    }
    const std::int32_t found = find(rank);
    out[i] = found < 0 ? sentinels.undefined : found;
  }
  return true;
}

}  // namespace

GroupRelation compare(const RankMap& a, const RankMap& b) {
  if (a.size() != b.size()) return GroupRelation::unequal;
  if (a.same_representation(b)) return GroupRelation::identical;
  // Formulas are canonical: two that differ are not identical, unless both are empty.
  const bool formulas = a.formula() != nullptr && b.formula() != nullptr;
  bool identical = !formulas || a.size() == 0;
  for (std::int32_t r = 0; identical && r < a.size(); ++r) identical = a.process(r) == b.process(r);
  if (identical) return GroupRelation::identical;
  const RankFinder in_b(b);
  for (std::int32_t r = 0; r < a.size(); ++r) {
    if (in_b(a.process(r)) < 0) return GroupRelation::unequal;
  }
  return GroupRelation::similar;
}

bool translate(const RankMap& from, std::span<const std::int32_t> ranks, const RankMap& to, RankSentinels sentinels,
               std::span<std::int32_t> out) {
  const StridedBlocks* const source = from.formula();
  if (source != nullptr && to.formula() != nullptr && from.group() == to.group()) {
    const InverseFormula inverse(*to.formula());
    const StridedBlocks formula = *source;
    const auto with = [&](auto lookup) {
      return translate_each(from.size(), ranks, sentinels, out,
                            [&](std::int32_t rank) { return lookup(formula(rank)); });
    };
    // Loops of their own for the common shapes, where the compiler keeps everything in registers.
    if (inverse.rungs() == 1) {
      const auto lookup = [&](std::int32_t lpid) { return inverse.climb(lpid, 1); };
      if (!formula.is_identity()) return with(lookup);
      return translate_each(from.size(), ranks, sentinels, out, lookup);
    }
    return with([&](std::int32_t lpid) { return inverse(lpid); });
  }
  const RankFinder find(to);
  return translate_each(from.size(), ranks, sentinels, out,
                        [&](std::int32_t rank) { return find(from.process(rank)); });
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
