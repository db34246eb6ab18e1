#include "rankmap/rank_table.h"

#include <algorithm>

namespace marshal {

void RankTable::read_groups(std::span<std::int32_t> groups) const {
  std::fill(groups.begin(), groups.end(), only_group());
}

TableRef TableRef::if_alive(const RankTable* table) {
  std::uint32_t count = table->references_.load(std::memory_order_relaxed);
  while (count != 0) {
    if (table->references_.compare_exchange_weak(count, count + 1, std::memory_order_acq_rel)) {
      TableRef alive;
      alive.table_ = table;
      return alive;
    }
  }
  return {};
}

void TableRef::drop(const RankTable* table) {
  if (table->holder_ != nullptr) table->holder_->forget(table, table->hash_);
  delete table;
}

}  // namespace marshal
