// From a process to its index in a table, made when first asked for.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "rankmap/packed_bits.h"
#include "rankmap/rank_table.h"

namespace marshal {

// An array over the range of the lpids of one process group, packed to the bits of an index. Immutable.
class DenseInverse {
 public:
  // Empty: no process has an index.
  DenseInverse() = default;
  // Lpids from `least` on, within `range`.
  DenseInverse(std::int32_t group, std::span<const std::int32_t> lpids, std::int32_t least, std::int64_t range);

  std::int32_t operator()(Process process) const {
    const auto above = static_cast<std::uint32_t>(process.lpid) - static_cast<std::uint32_t>(first_);
    if (process.group != group_ || above >= range_) return -1;
    return static_cast<std::int32_t>(packed_get(words_.data(), bits_, above)) - 1;
  }
  // The same of many lpids of that group, in their place; `absent` for those that have no index.
  void operator()(std::int32_t absent, std::span<std::int32_t> lpids) const;
  bool empty() const { return range_ == 0; }
  std::size_t heap_bytes() const { return words_.capacity() * sizeof(std::uint64_t); }

 private:
  std::int32_t group_ = 0;
  std::int32_t first_ = 0;
  std::uint32_t range_ = 0;
  int bits_ = 0;
  std::vector<std::uint64_t> words_;  // entry lpid - first is the index + 1, 0 where there is none
};

// The way back from a process to its index, in constant time. It is a DenseInverse if there is one process group, and
// its lpids fill at least a quarter of their range; else an open-addressed set of indices, half full at most.
// Most tables are never asked backwards. So the first thread that asks builds it, and it is kept as long as the table
// lives. Threads that ask meanwhile build their own and drop it.
class InverseIndex {
 public:
  InverseIndex() = default;
  InverseIndex(const InverseIndex&) = delete;
  InverseIndex& operator=(const InverseIndex&) = delete;
  ~InverseIndex();

  // The index i with table.at(i) == process, or -1. Always called with the same table, whose entries differ.
  std::int32_t find(const RankTable& table, Process process) const;
  // Null where the index is a set.
  const DenseInverse* dense(const RankTable& table) const;

  // Memory held now, beyond this object.
  std::size_t bytes() const;

 private:
  struct Slots;
  static std::unique_ptr<Slots> build(const RankTable& table);
  const Slots& built(const RankTable& table) const;

  mutable std::atomic<const Slots*> slots_{nullptr};
};

}  // namespace marshal
