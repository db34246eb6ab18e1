// How rank maps are made: of lpids, of processes, of two maps, and a child communicator's of its parent's, in every
// form.
#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "pattern/compose.h"
#include "pattern/detect.h"
#include "pattern/evaluate.h"
#include "rankmap/parts_table.h"
#include "rankmap/rank_map.h"
#include "rankmap/sparse_formats.h"
#include "rankmap/tables.h"

namespace marshal {
namespace {

StridedBlocks whole(std::int32_t size) { return StridedBlocks::linear(0, 1, size); }

std::vector<std::int32_t> values_of(const StridedBlocks& sequence) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(sequence.size()));
  evaluate(sequence, 0, values);
  return values;
}

std::vector<Process> members(const RankMap& map, std::span<const std::int32_t> ranks) {
  std::vector<Process> processes(ranks.size());
  std::transform(ranks.begin(), ranks.end(), processes.begin(), [&](std::int32_t r) { return map.process(r); });
  return processes;
}

// The lpids of processes of one group; nothing if there are several groups.
std::optional<std::vector<std::int32_t>> lpids_of_one_group(std::span<const Process> processes) {
  const auto same_group = [&](Process p) { return p.group == processes.front().group; };
  if (!std::all_of(processes.begin(), processes.end(), same_group)) return std::nullopt;
  std::vector<std::int32_t> lpids(processes.size());
  std::transform(processes.begin(), processes.end(), lpids.begin(), [](Process p) { return p.lpid; });
  return lpids;
}

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

bool is_regular(RankmapModel model) { return model != RankmapModel::lut && model != RankmapModel::mlut; }

}  // namespace

RankMap RankMap::identity(std::int32_t group, std::int32_t size, MapForm form) {
  if (form == MapForm::blocks || form == MapForm::rankmap || form == MapForm::off) return {form, group, whole(size)};
  return from_lpids(group, values_of(whole(size)), form);
}

RankMap RankMap::from_lpids(std::int32_t group, std::span<const std::int32_t> lpids, MapForm form) {
  const StridedBlocks all = whole(static_cast<std::int32_t>(lpids.size()));
  if (form == MapForm::off) return {form, group, all};
  if (is_sparse(form)) {
    std::vector<Process> processes(lpids.size());
    std::transform(lpids.begin(), lpids.end(), processes.begin(), [&](std::int32_t l) { return Process{group, l}; });
    return {form, group, all, TableRef(new ProcessTable(processes, "plist"))};
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
  if (const auto lpids = lpids_of_one_group(processes))
    return from_lpids(processes.empty() ? 0 : processes.front().group, *lpids, form);
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
  std::vector<Process> all = low.processes();
  const std::vector<Process> others = high.processes();
  all.insert(all.end(), others.begin(), others.end());
  return from_processes(all, low.form_);
}

RankMap RankMap::derive(std::span<const std::int32_t> parent_ranks) const {
  const auto size_of_child = static_cast<std::int32_t>(parent_ranks.size());
  if (!tracked()) return {form_, group_, whole(size_of_child)};
  if (is_sparse(form_)) return derive_sparse(parent_ranks);
  if (const auto pattern = detect(parent_ranks)) return derive(*pattern);
  if (!table_) {
    std::vector<std::int32_t> lpids(parent_ranks.size());
    std::transform(parent_ranks.begin(), parent_ranks.end(), lpids.begin(),
                   [&](std::int32_t r) { return pattern_(r); });
    return from_lpids(group_, lpids, form_);
  }
  return from_processes(members(*this, parent_ranks), form_);
}

RankMap RankMap::derive(const StridedBlocks& parent_ranks) const {
  if (!tracked()) return {form_, group_, whole(parent_ranks.size())};
  if (is_sparse(form_)) return derive_sparse(values_of(parent_ranks));
  if (parent_ranks.is_identity() && parent_ranks.size() == size()) return *this;
  switch (form_) {
    case MapForm::rankmap: {
      const RankmapModel parent = !table_            ? regular_model(pattern_)
                                  : only_group() < 0 ? RankmapModel::mlut
                                                     : RankmapModel::lut;
      const ChildModel child = child_model(parent, regular_model(parent_ranks));
      if (is_regular(child.model)) {
        if (const auto composed = compose(pattern_, parent_ranks)) return {form_, group_, *composed};
      }
      return derive_scanned(parent_ranks, child.shares_table);
    }
    case MapForm::blocks:
      if (!table_) {
        if (const auto composed = compose(pattern_, parent_ranks)) return {form_, group_, *composed};
      }
      // A child that needs a table anyway points into its parent's, unless that would keep a much larger one alive.
      return derive_scanned(parent_ranks, table_ && 2 * std::int64_t{parent_ranks.size()} >= table_->size());
    default:
      return derive_scanned(parent_ranks, false);
  }
}

// The second scan of AV-Rankmap: what looks irregular through its parents may be regular among the lpids.
RankMap RankMap::derive_scanned(const StridedBlocks& parent_ranks, bool share_table) const {
  const std::vector<Process> processes = members(*this, values_of(parent_ranks));
  if (share_table) {
    const auto lpids = lpids_of_one_group(processes);
    const auto regular = lpids ? detect(*lpids) : std::nullopt;
    if (regular) return {form_, processes.empty() ? group_ : processes.front().group, *regular};
    if (const auto index = compose(pattern_, parent_ranks)) return {form_, group_, *index, table_};
  }
  return from_processes(processes, form_);
}

RankMap RankMap::derive_sparse(std::span<const std::int32_t> parent_ranks) const {
  const MapForm format = sparse_format(form_, size(), parent_ranks);
  if (format == MapForm::plist) return from_processes(members(*this, parent_ranks), form_);
  const auto size_of_child = static_cast<std::int32_t>(parent_ranks.size());
  return {form_, group_, whole(size_of_child), sparse_table(format, *this, parent_ranks)};
}

}  // namespace marshal
