#include "rankmap/translation.h"

#include <algorithm>

#include "pattern/evaluate.h"
#include "pattern/inverse_formula.h"
#include "rankmap/direct_inverse.h"
#include "rankmap/inverse_index.h"
#include "rankmap/scratch_array.h"

namespace marshal {
namespace {

using Ranks = std::span<const std::int32_t>;
using Values = std::span<std::int32_t>;

void evaluate_at(const StridedBlocks& formula, const AskedRanks& asked, Values out) {
  if (asked.all)
    evaluate(formula, 0, out);
  else
    std::transform(asked.ranks.begin(), asked.ranks.end(), out.begin(), formula);
}

void read_lpids(const RankMap& from, const AskedRanks& asked, Values lpids) {
  if (asked.all) return from.read_lpids(lpids);
  std::copy(asked.ranks.begin(), asked.ranks.end(), lpids.begin());
  from.to_lpids(lpids);
}

void read_groups(const RankMap& from, const AskedRanks& asked, Values groups) {
  if (asked.all) return from.read_groups(groups);
  std::copy(asked.ranks.begin(), asked.ranks.end(), groups.begin());
  from.to_groups(groups);
}

template <class Index_of>
void replace_all(Values values, std::int32_t absent, Index_of index_of) {
  for (std::int32_t& value : values) {
    const std::int32_t index = index_of(value);
    value = index < 0 ? absent : index;
  }
}

// The values of a formula become their indices.
void invert(const StridedBlocks& formula, std::int32_t absent, Values values) {
  const bool linear = formula.is_linear() && formula.stride() != 0;
  const std::int64_t step = formula.stride();
  const std::int32_t last = formula.size() - 1;
  if (linear && (step == 1 || step == -1)) {
    const auto lowest = static_cast<std::uint32_t>(step < 0 ? formula(last) : formula.offset());
    const auto size = static_cast<std::uint32_t>(formula.size());
    const std::uint32_t start = step < 0 ? size - 1 : 0;
    const auto up = static_cast<std::uint32_t>(step);
    for (std::int32_t& value : values) {
      const std::uint32_t above = static_cast<std::uint32_t>(value) - lowest;
      value = above < size ? static_cast<std::int32_t>(start + above * up) : absent;
    }
  } else if (linear) {
    const auto apart = static_cast<std::uint64_t>(step < 0 ? -step : step);
    const std::int64_t lowest = step < 0 ? formula(last) : formula.offset();
    const std::uint64_t span = apart * static_cast<std::uint64_t>(last);
    // Exact as in InverseFormula.
    const std::uint64_t reciprocal = ((std::uint64_t{1} << 63) - 1) / apart + 1;
    replace_all(values, absent, [=](std::int32_t value) {
      const auto above = static_cast<std::uint64_t>(value - lowest);
      const auto steps = static_cast<std::uint64_t>((static_cast<uint128>(2 * above) * reciprocal) >> 64);
      if (above > span || steps * apart != above) return -1;
      const auto index = static_cast<std::int32_t>(steps);
      return step < 0 ? last - index : index;
    });
  } else {
    replace_all(values, absent, InverseFormula(formula));
  }
}

// Lpids of one process group become ranks.
void find_ranks(const RankMap& to, std::int32_t group, std::int32_t absent, Values lpids) {
  if (to.only_group() >= 0 && to.only_group() != group)
    return static_cast<void>(std::fill(lpids.begin(), lpids.end(), absent));
  if (const StridedBlocks* formula = to.formula(); formula != nullptr && formula->is_linear())
    return invert(*formula, absent, lpids);
  if (to.is_whole_table()) {
    if (const DenseInverse* kept = to.table()->dense_inverse()) return (*kept)(absent, lpids);
  }
  if (worth_reading_all(lpids.size(), to.size())) {
    if (const DirectInverse inverse(to); inverse.made()) return inverse.to_ranks(group, absent, lpids);
  }
  if (const StridedBlocks* formula = to.formula()) return invert(*formula, absent, lpids);
  replace_all(lpids, absent, [&](std::int32_t lpid) { return to.rank_of({group, lpid}); });
}

// The same of several process groups.
void find_ranks(const RankMap& to, Ranks groups, std::int32_t absent, Values lpids) {
  if (worth_reading_all(lpids.size(), to.size())) {
    if (const DirectInverse inverse(to); inverse.made()) return inverse.to_ranks(groups, absent, lpids);
  }
  auto group = groups.begin();
  replace_all(lpids, absent, [&](std::int32_t lpid) { return to.rank_of({*group++, lpid}); });
}

// What preparing costs more than it saves.
constexpr std::size_t few = 4;

}  // namespace

AskedRanks::AskedRanks(Ranks asked, std::int32_t size) : ranks(asked) {
  std::int32_t expected = 0;
  bool in_range = true, in_order = true;
  for (const std::int32_t rank : ranks) {
    in_range &= static_cast<std::uint32_t>(rank) < static_cast<std::uint32_t>(size);
    in_order &= rank == expected++;
  }
  valid = in_range;
  all = in_order && expected == size;
}

void translate_valid(const RankMap& from, const AskedRanks& asked, const RankMap& to, std::int32_t absent, Values out) {
  const Ranks ranks = asked.ranks;
  if (ranks.size() < few) {
    std::transform(ranks.begin(), ranks.end(), out.begin(), [&](std::int32_t rank) {
      const std::int32_t found = to.rank_of(from.process(rank));
      return found < 0 ? absent : found;
    });
  } else if (from.same_representation(to)) {
    std::copy(ranks.begin(), ranks.end(), out.begin());
  } else if (from.table() != nullptr && from.table() == to.table()) {
    // The same entry of one table is the same process.
    evaluate_at(from.index_formula(), asked, out);
    invert(to.index_formula(), absent, out);
  } else if (from.only_group() >= 0) {
    read_lpids(from, asked, out);
    find_ranks(to, from.only_group(), absent, out);
  } else {
    ScratchArray<std::int32_t> scratch(ranks.size());
    const Values groups = scratch.all();
    read_groups(from, asked, groups);
    read_lpids(from, asked, out);
    find_ranks(to, groups, absent, out);
  }
}

}  // namespace marshal
