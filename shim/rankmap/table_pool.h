// Keeps tables of equal contents once: the reuse of the AV-Rankmap preprint, section V-A.2.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <unordered_map>

#include "rankmap/rank_table.h"

namespace marshal {

// Tables enter when made and leave with their last reference. Any thread may intern and drop at once.
class TablePool final : public TableHolder {
 public:
  // The process's own pool; it is never destroyed, so that maps may outlive main().
  static TablePool& shared();

  // A live table with this hash for which `same` holds, or the one that `make` returns. Neither is called under the
  // pool's lock; of two threads that make the same table at once, both may keep their own.
  TableRef intern(std::uint64_t hash, const std::function<bool(const RankTable&)>& same,
                  const std::function<TableRef()>& make);

  std::size_t size() const;

 private:
  void forget(const RankTable* table, std::uint64_t hash) override;

  mutable std::mutex mutex_;
  std::unordered_multimap<std::uint64_t, const RankTable*> tables_;
};

}  // namespace marshal
