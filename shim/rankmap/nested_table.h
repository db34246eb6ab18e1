// Regular lpids of more digits than a map's own formula has: still a formula, one cache line more away.
#pragma once

#include <cstdint>

#include "pattern/evaluate.h"
#include "pattern/strided_blocks.h"
#include "rankmap/rank_table.h"

namespace marshal {

class NestedTable final : public RankTable {
 public:
  NestedTable(std::int32_t group, const DeepStridedBlocks& pattern) : group_(group), pattern_(pattern) {}

  std::int32_t size() const override { return pattern_.size(); }
  Process at(std::int32_t i) const override { return {group_, pattern_(i)}; }
  std::int32_t index_of(Process process) const override {
    return process.group == group_ ? pattern_.index_of(process.lpid) : -1;
  }
  void read_lpids(std::span<std::int32_t> lpids) const override { evaluate(pattern_, 0, lpids); }
  std::size_t bytes() const override { return sizeof *this; }
  std::string_view format() const override { return "md-blockstride"; }
  std::int32_t only_group() const override { return group_; }
  bool constant_size() const override { return true; }

 private:
  std::int32_t group_;
  DeepStridedBlocks pattern_;
};

}  // namespace marshal
