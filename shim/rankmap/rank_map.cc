#include "rankmap/rank_map.h"

#include <algorithm>
#include <utility>

#include "pattern/compose.h"
#include "pattern/detect.h"
#include "rankmap/plain_tables.h"

namespace marshal {
namespace {

StridedBlocks whole(std::int32_t size) { return StridedBlocks::linear(0, 1, size); }

// Whether maps of this form keep a table even where a formula would do.
bool always_tables(MapForm form) { return form == MapForm::lut; }

}  // namespace

RankMap::RankMap(MapForm form, std::int32_t group, const StridedBlocks& pattern, TableRef table)
    : pattern_(pattern), table_(std::move(table)), group_(group), form_(form) {}

RankMap RankMap::identity(std::int32_t group, std::int32_t size, MapForm form) {
  if (!always_tables(form)) return {form, group, whole(size)};
  std::vector<std::int32_t> lpids(static_cast<std::size_t>(size));
  for (std::int32_t r = 0; r < size; ++r) lpids[static_cast<std::size_t>(r)] = r;
  return from_lpids(group, lpids, form);
}

RankMap RankMap::from_lpids(std::int32_t group, std::span<const std::int32_t> lpids, MapForm form) {
  const StridedBlocks all = whole(static_cast<std::int32_t>(lpids.size()));
  if (form == MapForm::off) return {form, group, all};
  if (!always_tables(form)) {
    if (const auto pattern = detect(lpids)) return {form, group, *pattern};
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
  return {form, -1, all, TableRef(new ProcessTable(processes))};
}

RankMap RankMap::derive(std::span<const std::int32_t> parent_ranks) const {
  if (const auto pattern = detect(parent_ranks)) return derive(*pattern);
  if (!tracked()) return {form_, group_, whole(static_cast<std::int32_t>(parent_ranks.size()))};
  if (!table_) {
    std::vector<std::int32_t> lpids(parent_ranks.size());
    std::transform(parent_ranks.begin(), parent_ranks.end(), lpids.begin(),
                   [&](std::int32_t r) { return pattern_(r); });
    return from_lpids(group_, lpids, form_);
  }
  std::vector<Process> members(parent_ranks.size());
  std::transform(parent_ranks.begin(), parent_ranks.end(), members.begin(), [&](std::int32_t r) { return process(r); });
  return from_processes(members, form_);
}

RankMap RankMap::derive(const StridedBlocks& parent_ranks) const {
  if (parent_ranks == whole(size())) return *this;
  if (!tracked()) return {form_, group_, whole(parent_ranks.size())};
  const auto composed = compose(pattern_, parent_ranks);
  if (!table_ && composed) return {form_, group_, *composed};
  std::vector<Process> members(static_cast<std::size_t>(parent_ranks.size()));
  for (std::int32_t r = 0; r < parent_ranks.size(); ++r)
    members[static_cast<std::size_t>(r)] = process(parent_ranks(r));
  RankMap child = from_processes(members, form_);
  // A child that needs a table anyway points into its parent's, unless that would keep a much larger one alive.
  const bool worth_sharing = table_ && 2 * std::int64_t{parent_ranks.size()} >= table_->size();
  if (child.table_ && composed && worth_sharing && !always_tables(form_)) {
    child = {form_, child.group_, *composed, table_};
  }
  return child;
}

RankMap RankMap::concatenate(const RankMap& low, const RankMap& high) {
  if (low.formula() != nullptr && high.formula() != nullptr && low.group_ == high.group_) {
    if (const auto joined = marshal::concatenate(low.pattern_, high.pattern_)) return {low.form_, low.group_, *joined};
  }
  if (!low.tracked() || !high.tracked()) return {MapForm::off, low.group_, whole(low.size() + high.size())};
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
  const int digits = pattern_.digit_count();
  const bool unit = pattern_.digit(0).stride == 1;
  if (!table_) {
    if (pattern_.is_identity()) return "direct";
    if (pattern_.is_contiguous()) return "offset";
    if (digits == 1) return "stride";
    return digits == 2 && unit ? "blockstride" : "md-blockstride";
  }
  if (pattern_.is_contiguous() || (table_->format() != "lut" && table_->format() != "mlut")) return table_->format();
  const bool several = table_->several_groups();
  if (digits == 1) return several ? "mlut-stride" : "lut-stride";
  if (digits == 2 && unit) return several ? "mlut-blockstride" : "lut-blockstride";
  return several ? "mlut-md-blockstride" : "lut-md-blockstride";
}

}  // namespace marshal
