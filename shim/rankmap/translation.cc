#include "rankmap/translation.h"

#include <algorithm>

#include "pattern/evaluate.h"
#include "pattern/inverse_formula.h"
#include "rankmap/chained_table.h"
#include "rankmap/direct_inverse.h"
#include "rankmap/inverse_index.h"
#include "rankmap/lookup_kernels.h"
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

const ChainedTable* chain_of(const RankMap& map) { return map.is_whole_table() ? map.table()->chained() : nullptr; }

// Ranks of the parent, or anything else below 0, become the child's.
void to_child_ranks(const ChainedTable& child, std::int32_t absent, Values parent_ranks) {
  ScratchArray<std::int32_t> members(static_cast<std::size_t>(child.size()));
  child.read_parent_ranks(members.all());
  ScratchArray<std::int32_t> ranks(static_cast<std::size_t>(child.parent().size()));
  std::fill(ranks.all().begin(), ranks.all().end(), -1);
  std::int32_t next = 0;
  for (const std::int32_t member : members.all()) ranks.all()[static_cast<std::size_t>(member)] = next++;
  fastest_lookups().array_find(ranks.all(), 0, absent, parent_ranks);
}

// Lpids of one process group become ranks.
void find_ranks(const RankMap& to, std::int32_t group, std::int32_t absent, Values lpids) {
  if (to.only_group() >= 0 && to.only_group() != group)
    return static_cast<void>(std::fill(lpids.begin(), lpids.end(), absent));
  if (const StridedBlocks* formula = to.formula(); formula != nullptr && formula->is_linear())
    return invert(*formula, absent, lpids);
  if (to.is_whole_table()) {
    if (const DenseInverse* kept = to.table()->dense_inverse()) return (*kept)(absent, lpids);
    const ChainedTable* chained = to.table()->chained();
    if (chained != nullptr && worth_reading_all(lpids.size(), chained->parent().size()) &&
        chained->parent().is_whole_table()) {
      if (const DenseInverse* parents = chained->parent().table()->dense_inverse()) {
        (*parents)(-1, lpids);
        return to_child_ranks(*chained, absent, lpids);
      }
    }
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

// Between maps that are chained to each other, or to the same one, ranks of the parent do in place of processes. False,
// and nothing done, where they are not.
bool translate_by_parent(const RankMap& from, const AskedRanks& asked, const RankMap& to, std::int32_t absent,
                         Values out) {
  const ChainedTable* up = chain_of(from);
  const ChainedTable* down = chain_of(to);
  const bool to_parent = up != nullptr && up->parent().same_representation(to);
  const bool from_parent = down != nullptr && down->parent().same_representation(from);
  const bool siblings = up != nullptr && down != nullptr && up->parent().same_representation(down->parent());
  if (!to_parent && !from_parent && !siblings) return false;
  if (!to_parent && !worth_reading_all(asked.ranks.size(), down->parent().size())) return false;

  if (asked.all && !from_parent) {
    up->read_parent_ranks(out);
  } else {
    std::copy(asked.ranks.begin(), asked.ranks.end(), out.begin());
    if (!from_parent) up->to_parent_ranks(out);
  }
  if (to_parent) return true;
  to_child_ranks(*down, absent, out);
  return true;
}

// Up to here, preparing costs more than it saves.
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
  } else if (translate_by_parent(from, asked, to, absent, out)) {
    return;
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
