#include "rankmap/run_table.h"

#include <algorithm>
#include <numeric>

namespace marshal {
namespace {

// The end of the run that starts at `start`, and whether it goes down.
struct RunEnd {
  std::size_t end;
  bool down;
};
RunEnd run_from(std::span<const std::int32_t> lpids, std::size_t start) {
  std::size_t end = start + 1;
  const bool down = end < lpids.size() && lpids[end] == lpids[start] - 1;
  const std::int32_t step = down ? -1 : 1;
  while (end < lpids.size() && lpids[end] == lpids[end - 1] + step) ++end;
  return {end, down};
}

}  // namespace

RunTable::RunTable(std::int32_t group, std::span<const std::int32_t> lpids)
    : group_(group), size_(static_cast<std::int32_t>(lpids.size())) {
  for (std::size_t start = 0; start < lpids.size();) {
    const auto [end, down] = run_from(lpids, start);
    runs_.push_back({static_cast<std::int32_t>(start), down ? ~lpids[start] : lpids[start]});
    start = end;
  }
  runs_.shrink_to_fit();
  by_lpid_.resize(runs_.size());
  std::iota(by_lpid_.begin(), by_lpid_.end(), 0U);
  std::sort(by_lpid_.begin(), by_lpid_.end(), [&](std::uint32_t a, std::uint32_t b) { return lowest(a) < lowest(b); });
}

std::size_t RunTable::estimate(std::span<const std::int32_t> lpids) {
  std::size_t runs = 0;
  for (std::size_t start = 0; start < lpids.size(); start = run_from(lpids, start).end) ++runs;
  return sizeof(RunTable) + runs * (sizeof(Run) + sizeof(std::uint32_t));
}

std::int32_t RunTable::lowest(std::size_t run) const {
  const std::int32_t first = runs_[run].first;
  return first >= 0 ? first : ~first - (end(run) - runs_[run].start - 1);
}

Process RunTable::at(std::int32_t i) const {
  const auto next =
      std::upper_bound(runs_.begin(), runs_.end(), i, [](std::int32_t at, const Run& run) { return at < run.start; });
  const Run& run = *(next - 1);
  const std::int32_t within = i - run.start;
  return {group_, run.first >= 0 ? run.first + within : ~run.first - within};
}

void RunTable::read_lpids(std::span<std::int32_t> lpids) const {
  for (std::size_t run = 0; run < runs_.size(); ++run) {
    const std::int32_t step = runs_[run].first >= 0 ? 1 : -1;
    std::int32_t next = runs_[run].first >= 0 ? runs_[run].first : ~runs_[run].first;
    for (std::int32_t i = runs_[run].start; i < end(run); ++i, next += step) lpids[static_cast<std::size_t>(i)] = next;
  }
}

std::int32_t RunTable::index_of(Process process) const {
  if (process.group != group_) return -1;
  const auto next = std::upper_bound(by_lpid_.begin(), by_lpid_.end(), process.lpid,
                                     [&](std::int32_t lpid, std::uint32_t run) { return lpid < lowest(run); });
  if (next == by_lpid_.begin()) return -1;
  const std::size_t run = *(next - 1);
  const std::int32_t above = process.lpid - lowest(run);
  const std::int32_t length = end(run) - runs_[run].start;
  if (above >= length) return -1;
  return runs_[run].first >= 0 ? runs_[run].start + above : end(run) - 1 - above;
}

}  // namespace marshal
