// Ranks of many processes in one map.
#pragma once

#include <cstdint>

#include "pattern/inverse_formula.h"
#include "rankmap/rank_map.h"

namespace marshal {

// RankMap::rank_of with what can be prepared prepared. The map must be tracked and outlive the finder.
class RankFinder {
 public:
  explicit RankFinder(const RankMap& map) : inverse_(map.index_formula()), table_(map.table()), group_(map.group()) {}

  std::int32_t operator()(Process process) const {
    if (table_ == nullptr) return process.group == group_ ? inverse_(process.lpid) : -1;
    const std::int32_t index = table_->index_of(process);
    return index < 0 ? -1 : inverse_(index);
  }

 private:
  InverseFormula inverse_;
  const RankTable* table_;
  std::int32_t group_;
};

}  // namespace marshal
