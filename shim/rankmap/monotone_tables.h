// Tables of increasing lpids, such as groups made by excluding processes: a bitmap or Elias–Fano, both with select.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rankmap/rank_table.h"
#include "rankmap/select_bitmap.h"

namespace marshal {

// One bit for each lpid from the first to the last. Inverse by rank: constant time.
class BitmapTable final : public RankTable {
 public:
  // Strictly increasing, not empty.
  BitmapTable(std::int32_t group, std::span<const std::int32_t> lpids);
  static std::size_t estimate(std::span<const std::int32_t> lpids);

  std::int32_t size() const override { return size_; }
  Process at(std::int32_t i) const override { return {group_, first_ + static_cast<std::int32_t>(bits_.select(i))}; }
  std::int32_t index_of(Process process) const override;
  void read_lpids(std::span<std::int32_t> lpids) const override;
  std::size_t bytes() const override { return sizeof *this + bits_.heap_bytes(); }
  std::string_view format() const override { return "bitmap-select"; }
  std::int32_t only_group() const override { return group_; }

 private:
  std::int32_t group_, size_, first_, last_;
  SelectBitmap bits_;
};

// Low bits of each lpid packed, high bits in unary: about 2 + log2(range / size) bits an entry. Inverse by bisection.
class EliasFanoTable final : public RankTable {
 public:
  // Strictly increasing, not empty.
  EliasFanoTable(std::int32_t group, std::span<const std::int32_t> lpids);
  static std::size_t estimate(std::span<const std::int32_t> lpids);

  std::int32_t size() const override { return size_; }
  Process at(std::int32_t i) const override;
  std::int32_t index_of(Process process) const override;
  void read_lpids(std::span<std::int32_t> lpids) const override;
  std::size_t bytes() const override;
  std::string_view format() const override { return "elias-fano"; }
  std::int32_t only_group() const override { return group_; }

 private:
  std::int32_t group_, size_, first_;
  int low_bits_;
  std::vector<std::uint64_t> low_;
  SelectBitmap high_;
};

}  // namespace marshal
