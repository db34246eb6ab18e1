#include "rankmap/group_algebra.h"

#include "rankmap/rank_finder.h"

namespace marshal {
namespace {

// Calls body(find), find(rank) being the rank in `to` of rank `rank` of `from`, or -1. The common shapes come with code
// of their own, in which the compiler keeps everything in registers.
template <class Body>
auto with_finder(const RankMap& from, const RankMap& to, Body body) {
  const bool formulas = from.formula() != nullptr && to.formula() != nullptr && from.group() == to.group();
  if (!formulas) {
    const RankFinder find(to);
    return body([&](std::int32_t rank) { return find(from.process(rank)); });
  }
  const StridedBlocks source = *from.formula();
  const StridedBlocks target = *to.formula();
  const auto offset = static_cast<std::uint32_t>(source.offset());
  const auto stride = static_cast<std::uint32_t>(source.stride());
  const auto linear = [=](std::int32_t rank) {
    return static_cast<std::int32_t>(offset + static_cast<std::uint32_t>(rank) * stride);
  };
  if (target.is_contiguous()) {
    const auto first = static_cast<std::uint32_t>(target.offset());
    const auto count = static_cast<std::uint32_t>(target.size());
    const auto within = [=](std::int32_t lpid) {
      const std::uint32_t above = static_cast<std::uint32_t>(lpid) - first;
      return above < count ? static_cast<std::int32_t>(above) : -1;
    };
    if (source.is_linear()) return body([=](std::int32_t rank) { return within(linear(rank)); });
    return body([=](std::int32_t rank) { return within(source(rank)); });
  }
  if (target.is_linear() && target.stride() != 0) {
    const std::int64_t step = target.stride();
    const auto apart = static_cast<std::uint64_t>(step < 0 ? -step : step);
    const std::int32_t last = target.size() - 1;
    const std::int64_t lowest = step < 0 ? target(last) : target.offset();
    const std::uint64_t span = apart * static_cast<std::uint64_t>(last);
    // Exact as in InverseFormula.
    const std::uint64_t reciprocal = ((std::uint64_t{1} << 63) - 1) / apart + 1;
    const auto evenly = [=](std::int32_t lpid) {
      const auto above = static_cast<std::uint64_t>(lpid - lowest);
      const auto steps = static_cast<std::uint64_t>((static_cast<uint128>(2 * above) * reciprocal) >> 64);
      if (above > span || steps * apart != above) return -1;
      const auto rank = static_cast<std::int32_t>(steps);
      return step < 0 ? last - rank : rank;
    };
    if (source.is_linear()) return body([=](std::int32_t rank) { return evenly(linear(rank)); });
    return body([=](std::int32_t rank) { return evenly(source(rank)); });
  }
  const InverseFormula inverse(target);
  return body([&](std::int32_t rank) { return inverse(source(rank)); });
}

// Ranks of `a` whose being in `b` is `wanted`.
std::vector<std::int32_t> select(const RankMap& a, const RankMap& b, bool wanted) {
  return with_finder(a, b, [&](auto find) {
    std::vector<std::int32_t> ranks(static_cast<std::size_t>(a.size()));
    std::size_t kept = 0;
    for (std::int32_t rank = 0; rank < a.size(); ++rank) {
      ranks[kept] = rank;
      kept += (find(rank) >= 0) == wanted ? 1 : 0;
    }
    ranks.resize(kept);
    return ranks;
  });
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
  for (std::int32_t r = 0; identical && r < a.size(); ++r) identical = a.process(r) == b.process(r);
  if (identical) return GroupRelation::identical;
  const bool all_there = with_finder(a, b, [&](auto find) {
    std::int32_t rank = 0;
    while (rank < a.size() && find(rank) >= 0) ++rank;
    return rank == a.size();
  });
  return all_there ? GroupRelation::similar : GroupRelation::unequal;
}

bool translate(const RankMap& from, std::span<const std::int32_t> ranks, const RankMap& to, RankSentinels sentinels,
               std::span<std::int32_t> out) {
  return with_finder(from, to, [&](auto find) {
    const std::int32_t size = from.size();
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
  });
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
