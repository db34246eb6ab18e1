#include "rankmap/rank_map.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "pattern/evaluate.h"
#include "pattern/linear_loops.h"
#include "rankmap/scratch_array.h"

namespace marshal {
namespace {

void apply(const StridedBlocks& formula, std::span<std::int32_t> indices) {
  if (formula.is_identity()) return;
  if (formula.is_linear()) {
    const auto start = static_cast<std::uint32_t>(formula.offset());
    return fastest_linear_loops().apply({start, static_cast<std::uint32_t>(formula.stride())}, indices);
  }
  for (std::int32_t& index : indices) index = formula(index);
}

// Turns indices into one part of their entries, which `read_all` reads of all entries.
void look_up(const RankTable& table, std::int32_t Process::*part,
             void (RankTable::*read_all)(std::span<std::int32_t>) const, std::span<std::int32_t> indices) {
  if (worth_reading_all(indices.size(), table.size())) {
    ScratchArray<std::int32_t> scratch(static_cast<std::size_t>(table.size()));
    const std::span<std::int32_t> parts = scratch.all();
    (table.*read_all)(parts);
    for (std::int32_t& index : indices) index = parts[static_cast<std::size_t>(index)];
  } else {
    for (std::int32_t& index : indices) index = table.at(index).*part;
  }
}

}  // namespace

RankMap::RankMap(MapForm form, std::int32_t group, const StridedBlocks& pattern, TableRef table)
    : pattern_(pattern), table_(std::move(table)), group_(group), form_(form) {}

std::int32_t RankMap::rank_of(Process process) const {
  if (!tracked()) return -1;
  if (table_) {
    const std::int32_t index = table_->index_of(process);
    return index < 0 ? -1 : pattern_.index_of(index);
  }
  return process.group == group_ ? pattern_.index_of(process.lpid) : -1;
}

void RankMap::read_lpids(std::span<std::int32_t> lpids) const {
  if (!table_) return evaluate(pattern_, 0, lpids);
  if (is_whole_table()) return table_->read_lpids(lpids);
  std::iota(lpids.begin(), lpids.end(), 0);
  to_lpids(lpids);
}

void RankMap::read_groups(std::span<std::int32_t> groups) const {
  if (only_group() < 0 && is_whole_table()) return table_->read_groups(groups);
  std::iota(groups.begin(), groups.end(), 0);
  to_groups(groups);
}

void RankMap::to_lpids(std::span<std::int32_t> ranks) const {
  const RankMap& top = climb(ranks);
  if (top.table_) look_up(*top.table_, &Process::lpid, &RankTable::read_lpids, ranks);
}

void RankMap::to_groups(std::span<std::int32_t> ranks) const {
  if (only_group() >= 0) return static_cast<void>(std::fill(ranks.begin(), ranks.end(), only_group()));
  const RankMap& top = climb(ranks);
  if (!top.table_) return static_cast<void>(std::fill(ranks.begin(), ranks.end(), top.group_));
  look_up(*top.table_, &Process::group, &RankTable::read_groups, ranks);
}

// The ancestor that is not chained to another, after turning the ranks into indices of its table, or into its lpids.
// No recursion: chains may be long.
const RankMap& RankMap::climb(std::span<std::int32_t> ranks) const {
  const RankMap* map = this;
  while (true) {
    apply(map->pattern_, ranks);
    const RankMap* parent = map->table_ ? map->table_->to_parent(ranks) : nullptr;
    if (parent == nullptr) return *map;
    map = parent;
  }
}

std::vector<Process> RankMap::processes() const {
  std::vector<Process> all(static_cast<std::size_t>(size()));
  ScratchArray<std::int32_t> lpids(all.size()), groups(all.size());
  read_lpids(lpids.all());
  read_groups(groups.all());
  std::transform(groups.all().begin(), groups.all().end(), lpids.all().begin(), all.begin(),
                 [](std::int32_t group, std::int32_t lpid) {
                   return Process{group, lpid};
                 });
  return all;
}

std::size_t RankMap::bytes() const {
  if (!tracked()) return 0;
  return sizeof *this + (table_ ? table_->bytes() / table_.sharers() : 0);
}

std::string_view RankMap::model() const {
  // In the order of RankmapModel. A table that is read in its own order has the name of its format alone.
  static constexpr std::string_view of_formula[] = {"direct", "offset", "stride", "blockstride", "md-blockstride"};
  static constexpr std::string_view of_lut[] = {"lut", "lut", "lut-stride", "lut-blockstride", "lut-md-blockstride"};
  static constexpr std::string_view of_mlut[] = {"mlut", "mlut", "mlut-stride", "mlut-blockstride",
                                                 "mlut-md-blockstride"};
  if (!tracked()) return "off";
  const auto shape = static_cast<std::size_t>(regular_model(pattern_));
  if (!table_) return of_formula[shape];
  const std::string_view format = table_->format();
  return format == "lut" ? of_lut[shape] : format == "mlut" ? of_mlut[shape] : format;
}

RankmapModel regular_model(const StridedBlocks& pattern) {
  if (pattern.is_identity()) return RankmapModel::direct;
  if (pattern.is_contiguous()) return RankmapModel::offset;
  if (pattern.is_linear()) return RankmapModel::stride;
  return pattern.digit_count() == 2 && pattern.digit(0).stride == 1 ? RankmapModel::blockstride
                                                                    : RankmapModel::md_blockstride;
}

ChildModel child_model(RankmapModel parent, RankmapModel indirect) {
  using enum RankmapModel;
  switch (parent) {
    case direct:
      return {indirect, false};
    case offset:
      return {indirect == direct ? offset : indirect, false};
    case stride:
    case blockstride:
    case md_blockstride:
      return {indirect == direct ? parent : lut, false};
    case lut:
    case mlut:
      return {parent, indirect != lut};
    default:
      return {lut, false};
  }
}

}  // namespace marshal
