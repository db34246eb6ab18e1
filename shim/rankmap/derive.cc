// How a child communicator's map is made of its parent's: RankMap::derive in every form.
#include <algorithm>
#include <vector>

#include "pattern/compose.h"
#include "pattern/detect.h"
#include "pattern/evaluate.h"
#include "rankmap/model_table.h"
#include "rankmap/rank_map.h"
#include "rankmap/sparse_formats.h"

namespace marshal {
namespace {

bool is_regular(RankmapModel model) { return model != RankmapModel::lut && model != RankmapModel::mlut; }

}  // namespace

RankMap RankMap::derive(std::span<const std::int32_t> parent_ranks) const {
  const auto size_of_child = static_cast<std::int32_t>(parent_ranks.size());
  if (!tracked()) return {form_, group_, StridedBlocks::linear(0, 1, size_of_child)};
  if (is_sparse(form_)) return derive_sparse(parent_ranks);
  if (const auto pattern = detect(parent_ranks)) return derive(*pattern);
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
  if (!tracked()) return {form_, group_, StridedBlocks::linear(0, 1, parent_ranks.size())};
  if (is_sparse(form_)) {
    std::vector<std::int32_t> ranks(static_cast<std::size_t>(parent_ranks.size()));
    evaluate(parent_ranks, 0, ranks);
    return derive_sparse(ranks);
  }
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
  std::vector<std::int32_t> ranks(static_cast<std::size_t>(parent_ranks.size()));
  evaluate(parent_ranks, 0, ranks);
  std::vector<Process> members(ranks.size());
  std::transform(ranks.begin(), ranks.end(), members.begin(), [&](std::int32_t r) { return process(r); });
  if (share_table) {
    const auto group = members.empty() ? group_ : members.front().group;
    const bool one_group = std::all_of(members.begin(), members.end(), [&](Process p) { return p.group == group; });
    std::vector<std::int32_t> lpids(members.size());
    std::transform(members.begin(), members.end(), lpids.begin(), [](Process p) { return p.lpid; });
    const auto regular = one_group ? detect(lpids) : std::nullopt;
    if (regular) return {form_, group, *regular};
    if (const auto index = compose(pattern_, parent_ranks)) return {form_, group_, *index, table_};
  }
  return from_processes(members, form_);
}

RankMap RankMap::derive_sparse(std::span<const std::int32_t> parent_ranks) const {
  const auto size_of_child = static_cast<std::int32_t>(parent_ranks.size());
  const MapForm format = sparse_format(form_, size(), parent_ranks);
  if (format == MapForm::plist) {
    std::vector<Process> members(parent_ranks.size());
    std::transform(parent_ranks.begin(), parent_ranks.end(), members.begin(),
                   [&](std::int32_t r) { return process(r); });
    return from_processes(members, form_);
  }
  return {form_, group_, StridedBlocks::linear(0, 1, size_of_child), sparse_table(format, *this, parent_ranks)};
}

}  // namespace marshal
