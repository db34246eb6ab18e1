#include "rankmap/rank_table.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/immortal.h"

namespace marshal {
namespace {

// The process's own; it is never destroyed, so that maps may outlive main().
struct Pool {
  std::mutex mutex;
  std::unordered_multimap<std::uint64_t, const RankTable*> tables;
};
Pool& pool() {
  static Immortal<Pool> the;
  return *the;
}

}  // namespace

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

TableRef TableRef::pooled(std::uint64_t hash, const std::function<bool(const RankTable&)>& same,
                          const std::function<TableRef()>& make) {
  std::vector<TableRef> candidates;
  {
    const std::lock_guard lock(pool().mutex);
    const auto [first, last] = pool().tables.equal_range(hash);
    for (auto entry = first; entry != last; ++entry)
      if (TableRef alive = if_alive(entry->second)) candidates.push_back(std::move(alive));
  }
  for (TableRef& candidate : candidates)
    if (same(*candidate)) return candidate;
  TableRef made = make();
  const std::lock_guard lock(pool().mutex);
  pool().tables.emplace(hash, made.get());
  made->hash_ = hash;
  return made;
}

std::size_t TableRef::pool_size() {
  const std::lock_guard lock(pool().mutex);
  return pool().tables.size();
}

void TableRef::drop(const RankTable* table) {
  if (table->hash_) {
    const std::lock_guard lock(pool().mutex);
    const auto [first, last] = pool().tables.equal_range(*table->hash_);
    pool().tables.erase(std::find_if(first, last, [&](const auto& entry) { return entry.second == table; }));
  }
  delete table;
}

}  // namespace marshal
