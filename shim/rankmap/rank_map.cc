#include "rankmap/rank_map.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "pattern/evaluate.h"
#include "pattern/linear_loops.h"
#include "rankmap/model_table.h"
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

void pick(std::span<const std::int32_t> entries, std::span<std::int32_t> indices) {
  for (std::int32_t& index : indices) index = entries[static_cast<std::size_t>(index)];
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
  if (!top.table_) return;
  const RankTable& table = *top.table_;
  if (worth_reading_all(ranks.size(), table.size())) {
    ScratchArray<std::int32_t> lpids(static_cast<std::size_t>(table.size()));
    table.read_lpids(lpids.all());
    pick(lpids.all(), ranks);
  } else {
    for (std::int32_t& rank : ranks) rank = table.at(rank).lpid;
  }
}

void RankMap::to_groups(std::span<std::int32_t> ranks) const {
  if (only_group() >= 0) return static_cast<void>(std::fill(ranks.begin(), ranks.end(), only_group()));
  const RankMap& top = climb(ranks);
  if (!top.table_) return static_cast<void>(std::fill(ranks.begin(), ranks.end(), top.group_));
  const RankTable& table = *top.table_;
  if (worth_reading_all(ranks.size(), table.size())) {
    ScratchArray<std::int32_t> groups(static_cast<std::size_t>(table.size()));
    table.read_groups(groups.all());
    pick(groups.all(), ranks);
  } else {
    for (std::int32_t& rank : ranks) rank = table.at(rank).group;
  }
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
  if (!tracked()) return "off";
  const RankmapModel shape = regular_model(pattern_);
  if (!table_) {
    switch (shape) {
      case RankmapModel::direct:
        return "direct";
      case RankmapModel::offset:
        return "offset";
      case RankmapModel::stride:
        return "stride";
      case RankmapModel::blockstride:
        return "blockstride";
      default:
        return "md-blockstride";
    }
  }
  const std::string_view format = table_->format();
  if (format != "lut" && format != "mlut") return format;
  const bool several = format == "mlut";
  switch (shape) {
    case RankmapModel::stride:
      return several ? "mlut-stride" : "lut-stride";
    case RankmapModel::blockstride:
      return several ? "mlut-blockstride" : "lut-blockstride";
    case RankmapModel::md_blockstride:
      return several ? "mlut-md-blockstride" : "lut-md-blockstride";
    default:
      return format;
  }
}

}  // namespace marshal
