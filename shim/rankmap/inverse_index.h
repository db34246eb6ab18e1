// From a process to its index in a table, made when first asked for.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "rankmap/rank_table.h"

namespace marshal {

// Where the lpids of one process group fill their range to a quarter at least, an array over that range, packed to the
// bits of an index; else an open-addressed set of indices, half full at most. Constant time either way.
// Most tables are never asked backwards, so it is built by the first thread that asks (others that ask meanwhile build
// their own and drop it) and kept as long as the table lives.
class InverseIndex {
 public:
  InverseIndex() = default;
  InverseIndex(const InverseIndex&) = delete;
  InverseIndex& operator=(const InverseIndex&) = delete;
  ~InverseIndex();

  // The index i with table.at(i) == process, or -1. Always called with the same table, whose entries differ.
  std::int32_t find(const RankTable& table, Process process) const;

  // Memory held now, beyond this object.
  std::size_t bytes() const;

 private:
  struct Slots;
  static std::unique_ptr<Slots> build(const RankTable& table);

  mutable std::atomic<const Slots*> slots_{nullptr};
};

}  // namespace marshal
