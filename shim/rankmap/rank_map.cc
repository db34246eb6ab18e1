#include "rankmap/rank_map.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "pattern/compose.h"
#include "pattern/detect.h"
#include "pattern/evaluate.h"
#include "pattern/linear_loops.h"
#include "rankmap/chained_table.h"
#include "rankmap/irregular.h"
#include "rankmap/model_table.h"
#include "rankmap/nested_table.h"
#include "rankmap/parts_table.h"
#include "rankmap/plain_tables.h"
#include "rankmap/scratch_array.h"

namespace marshal {
namespace {

StridedBlocks whole(std::int32_t size) { return StridedBlocks::linear(0, 1, size); }

// The stretches of processes of one group, or none when they are too many to search.
std::vector<std::span<const Process>> stretches(std::span<const Process> processes) {
  std::vector<std::span<const Process>> parts;
  while (!processes.empty()) {
    const auto end =
        std::find_if(processes.begin(), processes.end(), [&](Process p) { return p.group != processes.front().group; });
    const auto length = static_cast<std::size_t>(end - processes.begin());
    parts.push_back(processes.first(length));
    if (parts.size() > PartsTable::most_words) return {};
    processes = processes.subspan(length);
  }
  return parts;
}

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

RankMap RankMap::identity(std::int32_t group, std::int32_t size, MapForm form) {
  if (form == MapForm::blocks || form == MapForm::rankmap || form == MapForm::off) return {form, group, whole(size)};
  std::vector<std::int32_t> lpids(static_cast<std::size_t>(size));
  evaluate(whole(size), 0, lpids);
  return from_lpids(group, lpids, form);
}

RankMap RankMap::from_lpids(std::int32_t group, std::span<const std::int32_t> lpids, MapForm form) {
  const StridedBlocks all = whole(static_cast<std::int32_t>(lpids.size()));
  if (form == MapForm::off) return {form, group, all};
  if (is_sparse(form)) {
    std::vector<Process> members(lpids.size());
    std::transform(lpids.begin(), lpids.end(), members.begin(), [&](std::int32_t l) { return Process{group, l}; });
    return {form, group, all, TableRef(new ProcessTable(members, "plist"))};
  }
  if (form != MapForm::lut) {
    if (const auto pattern = detect(lpids)) return {form, group, *pattern};
  }
  if (form == MapForm::rankmap) {
    if (const auto pattern = detect_deep(lpids)) return {form, group, all, TableRef(new NestedTable(group, *pattern))};
  }
  if (form == MapForm::blocks) {
    CompactMap compacted = compact(group, lpids);
    return {form, group, compacted.index, std::move(compacted.table)};
  }
  return {form, group, all, TableRef(new LpidTable(group, lpids))};
}

RankMap RankMap::from_processes(std::span<const Process> processes, MapForm form) {
  const auto same_group = [&](Process p) { return p.group == processes.front().group; };
  if (std::all_of(processes.begin(), processes.end(), same_group)) {
    std::vector<std::int32_t> lpids(processes.size());
    std::transform(processes.begin(), processes.end(), lpids.begin(), [](Process p) { return p.lpid; });
    return from_lpids(processes.empty() ? 0 : processes.front().group, lpids, form);
  }
  const StridedBlocks all = whole(static_cast<std::int32_t>(processes.size()));
  if (form == MapForm::off) return {form, -1, all};
  if (form == MapForm::blocks) {
    const auto parts = stretches(processes);
    if (!parts.empty()) {
      std::vector<RankMap> maps(parts.size());
      std::transform(parts.begin(), parts.end(), maps.begin(), [&](auto part) { return from_processes(part, form); });
      return {form, -1, all, TableRef(new PartsTable(std::move(maps)))};
    }
  }
  return {form, -1, all, TableRef(new ProcessTable(processes, is_sparse(form) ? "plist" : "mlut"))};
}

RankMap RankMap::concatenate(const RankMap& low, const RankMap& high) {
  if (!low.tracked() || !high.tracked()) return {MapForm::off, low.group_, whole(low.size() + high.size())};
  const bool formulas = low.formula() != nullptr && high.formula() != nullptr;
  if (formulas && low.group_ == high.group_) {
    if (const auto joined = marshal::concatenate(low.pattern_, high.pattern_)) return {low.form_, low.group_, *joined};
  }
  if (formulas && low.form_ == MapForm::blocks && low.group_ != high.group_ && low.size() > 0 && high.size() > 0) {
    return {low.form_, -1, whole(low.size() + high.size()), TableRef(new PartsTable({low, high}))};
  }
  std::vector<Process> members = low.processes();
  const std::vector<Process> others = high.processes();
  members.insert(members.end(), others.begin(), others.end());
  return from_processes(members, low.form_);
}

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
  apply(top.pattern_, ranks);
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
  apply(top.pattern_, ranks);
  const RankTable& table = *top.table_;
  if (worth_reading_all(ranks.size(), table.size())) {
    ScratchArray<std::int32_t> groups(static_cast<std::size_t>(table.size()));
    table.read_groups(groups.all());
    pick(groups.all(), ranks);
  } else {
    for (std::int32_t& rank : ranks) rank = table.at(rank).group;
  }
}

// The ancestor that is not chained to another, after turning the ranks into its. No recursion: chains may be long.
const RankMap& RankMap::climb(std::span<std::int32_t> ranks) const {
  const RankMap* map = this;
  while (const ChainedTable* chained = map->table_ ? map->table_->chained() : nullptr) {
    apply(map->pattern_, ranks);
    chained->to_parent_ranks(ranks);
    map = &chained->parent();
  }
  return *map;
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
