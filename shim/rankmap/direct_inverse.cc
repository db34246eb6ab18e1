#include "rankmap/direct_inverse.h"

#include <algorithm>

#include "rankmap/lookup_kernels.h"

namespace marshal {
namespace {

// The entries that the arrays may hold in all: 16 bytes a rank, and 4 KiB.
std::int64_t most_entries(std::int32_t ranks) { return 4 * std::int64_t{ranks} + 1024; }

// Faster than std::minmax_element, which keeps iterators.
std::pair<std::int32_t, std::int32_t> bounds(std::span<const std::int32_t> values) {
  std::int32_t least = values.front(), most = values.front();
  for (const std::int32_t value : values) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  return {least, most};
}

}  // namespace

DirectInverse::DirectInverse(const RankMap& map) {
  const auto size = static_cast<std::size_t>(map.size());
  if (size == 0) return;
  ScratchArray<std::int32_t> all_lpids(size), all_groups;
  const std::span<std::int32_t> lpids = all_lpids.all();
  map.read_lpids(lpids);
  std::span<std::int32_t> groups;
  if (map.only_group() < 0) map.read_groups(groups = all_groups.make(size));

  // The stretches of one group, and for each group the range of its lpids.
  struct Range {
    std::int32_t group, least, most;
  };
  std::array<Range, std::tuple_size_v<decltype(part_)>> ranges;
  std::size_t count = 0;
  for (std::size_t start = 0, end = size; start < size; start = end) {
    if (!groups.empty())
      for (end = start + 1; end < size && groups[end] == groups[start];) ++end;
    const auto stretch = lpids.subspan(start, end - start);
    const auto [least, most] = bounds(stretch);
    const std::int32_t group = groups.empty() ? map.only_group() : groups[start];
    const auto known = ranges.begin() + static_cast<std::ptrdiff_t>(count);
    const auto same = std::find_if(ranges.begin(), known, [&](const Range& range) { return range.group == group; });
    if (same != known) {
      *same = {group, std::min(same->least, least), std::max(same->most, most)};
    } else if (count == ranges.size()) {
      return;
    } else {
      ranges[count++] = {group, least, most};
    }
  }

  std::int64_t entries = 0;
  for (std::size_t k = 0; k < count; ++k) entries += std::int64_t{ranges[k].most} - ranges[k].least + 1;
  if (entries > most_entries(map.size())) return;
  std::span<std::int32_t> free = ranks_.make(static_cast<std::size_t>(entries));
  std::fill(free.begin(), free.end(), -1);
  for (std::size_t k = 0; k < count; ++k) {
    const auto range = static_cast<std::size_t>(ranges[k].most - ranges[k].least) + 1;
    part_[k] = {ranges[k].group, ranges[k].least, free.first(range)};
    free = free.subspan(range);
  }
  parts_ = count;
  std::int32_t rank = 0;
  if (groups.empty()) {
    const Part& part = part_[0];
    for (const std::int32_t lpid : lpids) part.ranks[static_cast<std::size_t>(lpid - part.first)] = rank++;
  } else {
    for (std::size_t i = 0; i < size; ++i) {
      const Part& part = *part_of(groups[i]);
      part.ranks[static_cast<std::size_t>(lpids[i] - part.first)] = rank++;
    }
  }
}

const DirectInverse::Part* DirectInverse::part_of(std::int32_t group) const {
  for (std::size_t k = 0; k < parts_; ++k)
    if (part_[k].group == group) return &part_[k];
  return nullptr;
}

void DirectInverse::to_ranks(std::int32_t group, std::int32_t absent, std::span<std::int32_t> lpids) const {
  const Part* part = part_of(group);
  if (part == nullptr) return static_cast<void>(std::fill(lpids.begin(), lpids.end(), absent));
  fastest_lookups().array_find(part->ranks, part->first, absent, lpids);
}

void DirectInverse::to_ranks(std::span<const std::int32_t> groups, std::int32_t absent,
                             std::span<std::int32_t> lpids) const {
  for (std::size_t i = 0; i < lpids.size(); ++i) {
    const Part* part = part_of(groups[i]);
    const std::int32_t rank = part == nullptr ? -1 : (*part)(lpids[i]);
    lpids[i] = rank < 0 ? absent : rank;
  }
}

}  // namespace marshal
