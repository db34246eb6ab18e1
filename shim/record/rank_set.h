// A set of ranks as intervals: the processes that a record includes. Memory grows only with the number of holes.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace marshal::report {

class RankSet {
 public:
  using Interval = std::pair<std::uint64_t, std::uint64_t>;  // first and last, both within

  RankSet() = default;
  explicit RankSet(std::uint64_t rank) : intervals_{{rank, rank}} {}
  static RankSet from_intervals(std::vector<Interval> intervals);  // in any order, overlapping or not

  void merge(const RankSet& other);
  bool overlaps(const RankSet& other) const;
  std::uint64_t count() const;
  bool empty() const { return intervals_.empty(); }
  std::uint64_t lowest() const { return intervals_.empty() ? UINT64_MAX : intervals_.front().first; }
  const std::vector<Interval>& intervals() const { return intervals_; }
  // The ranks 0 … ranks-1 that are not in it.
  RankSet missing(std::uint64_t ranks) const;
  // "0-3, 7"; at most `most` intervals, then "and N more".
  std::string text(std::size_t most = 8) const;

  auto operator<=>(const RankSet&) const = default;

 private:
  std::vector<Interval> intervals_;  // sorted, disjoint, not touching
};

}  // namespace marshal::report
