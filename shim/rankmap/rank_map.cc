#include "rankmap/rank_map.h"

#include <algorithm>
#include <utility>

#include "pattern/compose.h"
#include "pattern/detect.h"
#include "pattern/evaluate.h"
#include "rankmap/irregular.h"
#include "rankmap/model_table.h"
#include "rankmap/nested_table.h"
#include "rankmap/parts_table.h"
#include "rankmap/plain_tables.h"

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
    if (parts.size() > PartsTable::kMost) return {};
    processes = processes.subspan(length);
  }
  return parts;
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

std::vector<Process> RankMap::processes() const {
  std::vector<Process> all(static_cast<std::size_t>(size()));
  for (std::int32_t r = 0; r < size(); ++r) all[static_cast<std::size_t>(r)] = process(r);
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
