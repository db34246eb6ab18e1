// From a process to its index in a table, made when first asked for.
#ifndef MARSHAL_RANKMAP_INVERSE_INDEX_H
#define MARSHAL_RANKMAP_INVERSE_INDEX_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "rankmap/rank_table.h"

namespace marshal {

// An open-addressed set of indices, at most half full: one or two probes a lookup, 8 to 16 bytes an entry.
// Most tables are never asked backwards, so it is built by the first thread that asks (others that ask meanwhile build
// their own and drop it) and kept as long as the table lives.
class InverseIndex {
 public:
  InverseIndex() = default;
  InverseIndex(const InverseIndex&) = delete;
  InverseIndex& operator=(const InverseIndex&) = delete;
  ~InverseIndex();

  // The index i with table.at(i) == process, the smallest such, or -1. Always called with the same table.
  std::int32_t find(const RankTable& table, Process process) const;

  // Memory held now, beyond this object.
  std::size_t bytes() const;

 private:
  // Entries are indices, -1 where free; the number of slots is a power of two.
  using Slots = std::vector<std::int32_t>;
  static std::unique_ptr<Slots> build(const RankTable& table);

  mutable std::atomic<const Slots*> slots_{nullptr};
};

}  // namespace marshal

#endif
