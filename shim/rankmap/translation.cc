#include "rankmap/translation.h"

#include <algorithm>

#include "pattern/evaluate.h"
#include "pattern/linear_loops.h"
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
  if (formula.empty()) return static_cast<void>(std::fill(values.begin(), values.end(), absent));
  const std::int64_t step = formula.stride();
  if (!formula.is_linear() || step == 0) return replace_all(values, absent, InverseFormula(formula));
  const std::int32_t last = formula.size() - 1;
  fastest_linear_loops().invert({.lowest = step < 0 ? formula(last) : formula.offset(),
                                 .apart = static_cast<std::uint32_t>(step < 0 ? -step : step),
                                 .last = static_cast<std::uint32_t>(last),
                                 .downwards = step < 0},
                                absent, values);
}

const ChainedTable* chain_of(const RankMap& map) { return map.is_whole_table() ? map.table()->chained() : nullptr; }

// Ranks of the parent, or anything else below 0, become the child's.
void to_child_ranks(const ChainedTable& child, std::int32_t absent, Values parent_ranks) {
  ScratchArray<std::int32_t> ranks(static_cast<std::size_t>(child.parent().size()));
  std::fill(ranks.all().begin(), ranks.all().end(), -1);
  child.invert_parent_ranks(ranks.all());
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
  const IndexCheck checked = fastest_linear_loops().check(ranks, size);
  valid = checked.in_range;
  all = checked.in_order && ranks.size() == static_cast<std::size_t>(size);
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
