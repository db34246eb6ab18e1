#include "record/rank_set.h"

#include <fmt/format.h>

#include <algorithm>

namespace marshal::report {

RankSet RankSet::from_intervals(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end());
  RankSet set;
  for (const auto& [first, last] : intervals) {
    if (last < first) continue;
    const bool touches =
        !set.intervals_.empty() && (first <= set.intervals_.back().second || first - set.intervals_.back().second == 1);
    if (touches)
      set.intervals_.back().second = std::max(set.intervals_.back().second, last);
    else
      set.intervals_.emplace_back(first, last);
  }
  return set;
}

void RankSet::merge(const RankSet& other) {
  std::vector<Interval> both = intervals_;
  both.insert(both.end(), other.intervals_.begin(), other.intervals_.end());
  *this = from_intervals(std::move(both));
}

bool RankSet::overlaps(const RankSet& other) const {
  auto a = intervals_.begin(), b = other.intervals_.begin();
  while (a != intervals_.end() && b != other.intervals_.end()) {
    if (a->second < b->first)
      ++a;
    else if (b->second < a->first)
      ++b;
    else
      return true;
  }
  return false;
}

std::uint64_t RankSet::count() const {
  std::uint64_t total = 0;
  for (const auto& [first, last] : intervals_) total += last - first + 1;
  return total;
}

RankSet RankSet::missing(std::uint64_t ranks) const {
  RankSet gaps;
  std::uint64_t next = 0;
  for (const auto& [first, last] : intervals_) {
    if (next >= ranks) break;
    if (first > next) gaps.intervals_.emplace_back(next, std::min(first, ranks) - 1);
    next = last + 1;
  }
  if (next < ranks) gaps.intervals_.emplace_back(next, ranks - 1);
  return gaps;
}

std::string RankSet::text(std::size_t most) const {
  std::string out;
  for (std::size_t i = 0; i < intervals_.size(); ++i) {
    if (i == most) return out + fmt::format(" and {} more", intervals_.size() - most);
    const auto& [first, last] = intervals_[i];
    if (i != 0) out += ", ";
    out += first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
  }
  return out.empty() ? "none" : out;
}

}  // namespace marshal::report
