// Lpids that come in runs of neighbours, upwards or downwards: 12 bytes a run.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rankmap/rank_table.h"

namespace marshal {

class RunTable final : public RankTable {
 public:
  RunTable(std::int32_t group, std::span<const std::int32_t> lpids);
  static std::size_t estimate(std::span<const std::int32_t> lpids);

  std::int32_t size() const override { return size_; }
  // Both by bisection over the runs.
  Process at(std::int32_t i) const override;
  std::int32_t index_of(Process process) const override;
  void read_lpids(std::span<std::int32_t> lpids) const override;
  std::size_t bytes() const override {
    return sizeof *this + runs_.capacity() * sizeof(Run) + by_lpid_.capacity() * sizeof(std::uint32_t);
  }
  std::string_view format() const override { return "runs"; }
  std::int32_t only_group() const override { return group_; }

 private:
  // Ends where the next run starts. Downward runs hold the complement of their first lpid.
  struct Run {
    std::int32_t start;
    std::int32_t first;
  };
  std::int32_t end(std::size_t run) const { return run + 1 < runs_.size() ? runs_[run + 1].start : size_; }
  std::int32_t lowest(std::size_t run) const;

  std::int32_t group_, size_;
  std::vector<Run> runs_;
  std::vector<std::uint32_t> by_lpid_;
};

}  // namespace marshal
