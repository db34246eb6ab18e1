// Irregular lpids in as few bits each as their range needs: 2.5 bytes a rank among a million, at a table's speed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rankmap/inverse_index.h"
#include "rankmap/packed_bits.h"
#include "rankmap/rank_table.h"

namespace marshal {

class PackedTable final : public RankTable {
 public:
  PackedTable(std::int32_t group, std::span<const std::int32_t> lpids);
  static std::size_t estimate(std::span<const std::int32_t> lpids);

  std::int32_t size() const override { return size_; }
  Process at(std::int32_t i) const override {
    return {group_, first_ + static_cast<std::int32_t>(packed_get(words_.data(), bits_, i))};
  }
  std::int32_t index_of(Process process) const override { return inverse_.find(*this, process); }
  void read_lpids(std::span<std::int32_t> lpids) const override;
  const DenseInverse* dense_inverse() const override { return inverse_.dense(*this); }
  std::size_t bytes() const override {
    return sizeof *this + words_.capacity() * sizeof(std::uint64_t) + inverse_.bytes();
  }
  std::string_view format() const override { return "packed"; }
  std::int32_t only_group() const override { return group_; }

 private:
  std::int32_t group_, size_, first_;
  int bits_;
  std::vector<std::uint64_t> words_;
  InverseIndex inverse_;
};

}  // namespace marshal
