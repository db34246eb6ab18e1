#include "rankmap/table_pool.h"

#include <vector>

#include "base/immortal.h"

namespace marshal {

TablePool& TablePool::shared() {
  static Immortal<TablePool> pool;
  return *pool;
}

TableRef TablePool::intern(std::uint64_t hash, const std::function<bool(const RankTable&)>& same,
                           const std::function<TableRef()>& make) {
  std::vector<TableRef> candidates;
  {
    const std::lock_guard lock(mutex_);
    const auto [first, last] = tables_.equal_range(hash);
    for (auto entry = first; entry != last; ++entry) {
      if (TableRef alive = TableRef::if_alive(entry->second)) candidates.push_back(std::move(alive));
    }
  }
  for (TableRef& candidate : candidates) {
    if (same(*candidate)) return candidate;
  }
  TableRef made = make();
  const std::lock_guard lock(mutex_);
  made.enter(*this, hash);
  tables_.emplace(hash, made.get());
  return made;
}

void TablePool::forget(const RankTable* table, std::uint64_t hash) {
  const std::lock_guard lock(mutex_);
  const auto [first, last] = tables_.equal_range(hash);
  for (auto entry = first; entry != last; ++entry) {
    if (entry->second == table) {
      tables_.erase(entry);
      return;
    }
  }
}

std::size_t TablePool::size() const {
  const std::lock_guard lock(mutex_);
  return tables_.size();
}

}  // namespace marshal
