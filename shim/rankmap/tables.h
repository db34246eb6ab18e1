// The tables that keep every entry: of lpids of one process group, in several formats, or of whole processes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "pattern/evaluate.h"
#include "pattern/strided_sequence.h"
#include "rankmap/inverse_index.h"
#include "rankmap/packed_bits.h"
#include "rankmap/rank_table.h"
#include "rankmap/select_bitmap.h"

namespace marshal {

// Lpids of one process group. `estimate` of a format says what bytes() of a table of these lpids would be.
class LpidsOfGroup : public RankTable {
 public:
  std::int32_t size() const final { return size_; }
  std::int32_t only_group() const final { return group_; }

 protected:
  LpidsOfGroup(std::int32_t group, std::size_t size) : group_(group), size_(static_cast<std::int32_t>(size)) {}

  const std::int32_t group_, size_;
};

// AV-Rankmap's lut: 4 bytes an entry.
class LpidTable final : public LpidsOfGroup {
 public:
  LpidTable(std::int32_t group, std::span<const std::int32_t> lpids)
      : LpidsOfGroup(group, lpids.size()), lpids_(lpids.begin(), lpids.end()) {}

  Process at(std::int32_t i) const override { return {group_, lpids_[static_cast<std::size_t>(i)]}; }
  std::int32_t index_of(Process process) const override { return inverse_.find(*this, process); }
  void read_lpids(std::span<std::int32_t> lpids) const override;
  const DenseInverse* dense_inverse() const override { return inverse_.dense(*this); }
  std::size_t bytes() const override;
  std::string_view format() const override { return "lut"; }

 private:
  std::vector<std::int32_t> lpids_;
  InverseIndex inverse_;
};

// Regular lpids of more digits than a map's own formula has: still a formula, one cache line more away.
class NestedTable final : public LpidsOfGroup {
 public:
  NestedTable(std::int32_t group, const DeepStridedBlocks& pattern)
      : LpidsOfGroup(group, static_cast<std::size_t>(pattern.size())), pattern_(pattern) {}

  Process at(std::int32_t i) const override { return {group_, pattern_(i)}; }
  std::int32_t index_of(Process process) const override {
    return process.group == group_ ? pattern_.index_of(process.lpid) : -1;
  }
  void read_lpids(std::span<std::int32_t> lpids) const override { evaluate(pattern_, 0, lpids); }
  std::size_t bytes() const override { return sizeof *this; }
  std::string_view format() const override { return "md-blockstride"; }
  bool constant_size() const override { return true; }

 private:
  DeepStridedBlocks pattern_;
};

// Irregular lpids in as few bits each as their range needs: 2.5 bytes a rank among a million, at a table's speed.
class PackedTable final : public LpidsOfGroup {
 public:
  PackedTable(std::int32_t group, std::span<const std::int32_t> lpids);
  static std::size_t estimate(std::span<const std::int32_t> lpids);

  Process at(std::int32_t i) const override {
    return {group_, first_ + static_cast<std::int32_t>(packed_get(words_.data(), bits_, i))};
  }
  std::int32_t index_of(Process process) const override { return inverse_.find(*this, process); }
  void read_lpids(std::span<std::int32_t> lpids) const override;
  const DenseInverse* dense_inverse() const override { return inverse_.dense(*this); }
  std::size_t bytes() const override;
  std::string_view format() const override { return "packed"; }

 private:
  std::int32_t first_;
  int bits_;
  std::vector<std::uint64_t> words_;
  InverseIndex inverse_;
};

// Lpids that come in runs of neighbours, upwards or downwards: 12 bytes a run. Both ways by bisection over the runs.
class RunTable final : public LpidsOfGroup {
 public:
  RunTable(std::int32_t group, std::span<const std::int32_t> lpids);
  static std::size_t estimate(std::span<const std::int32_t> lpids);

  Process at(std::int32_t i) const override;
  std::int32_t index_of(Process process) const override;
  void read_lpids(std::span<std::int32_t> lpids) const override;
  std::size_t bytes() const override;
  std::string_view format() const override { return "runs"; }

 private:
  // Ends where the next run starts. Downward runs hold the complement of their first lpid.
  struct Run {
    std::int32_t start;
    std::int32_t first;
  };
  std::int32_t end(std::size_t run) const { return run + 1 < runs_.size() ? runs_[run + 1].start : size_; }
  std::int32_t lowest(std::size_t run) const;

  std::vector<Run> runs_;
  std::vector<std::uint32_t> by_lpid_;
};

// Increasing lpids, such as groups made by excluding processes; not empty. One bit for each lpid from the first to the
// last. Inverse by rank: constant time.
class BitmapTable final : public LpidsOfGroup {
 public:
  BitmapTable(std::int32_t group, std::span<const std::int32_t> lpids);
  static std::size_t estimate(std::span<const std::int32_t> lpids);

  Process at(std::int32_t i) const override { return {group_, first_ + static_cast<std::int32_t>(bits_.select(i))}; }
  std::int32_t index_of(Process process) const override;
  void read_lpids(std::span<std::int32_t> lpids) const override;
  std::size_t bytes() const override { return sizeof *this + bits_.heap_bytes(); }
  std::string_view format() const override { return "bitmap-select"; }

 private:
  std::int32_t first_, last_;
  SelectBitmap bits_;
};

// Increasing lpids, not empty. Low bits of each lpid packed, high bits in unary: about 2 + log2(range / size) bits an
// entry. Inverse by bisection.
class EliasFanoTable final : public LpidsOfGroup {
 public:
  EliasFanoTable(std::int32_t group, std::span<const std::int32_t> lpids);
  static std::size_t estimate(std::span<const std::int32_t> lpids);

  Process at(std::int32_t i) const override;
  std::int32_t index_of(Process process) const override;
  void read_lpids(std::span<std::int32_t> lpids) const override;
  std::size_t bytes() const override;
  std::string_view format() const override { return "elias-fano"; }

 private:
  std::int32_t first_;
  int low_bits_;
  std::vector<std::uint64_t> low_;
  SelectBitmap high_;
};

// AV-Rankmap's mlut: 8 bytes an entry, as a list of pointers to processes takes. So it is the sparse-group paper's
// plist, too.
class ProcessTable final : public RankTable {
 public:
  explicit ProcessTable(std::span<const Process> processes, std::string_view format = "mlut");

  std::int32_t size() const override { return static_cast<std::int32_t>(processes_.size()); }
  Process at(std::int32_t i) const override { return processes_[static_cast<std::size_t>(i)]; }
  std::int32_t index_of(Process process) const override { return inverse_.find(*this, process); }
  void read_lpids(std::span<std::int32_t> lpids) const override;
  void read_groups(std::span<std::int32_t> groups) const override;
  const DenseInverse* dense_inverse() const override { return inverse_.dense(*this); }
  std::size_t bytes() const override;
  std::string_view format() const override { return format_; }
  std::int32_t only_group() const override { return only_group_; }

 private:
  std::vector<Process> processes_;
  std::string_view format_;
  std::int32_t only_group_;
  InverseIndex inverse_;
};

// The least memory for lpids without a pattern, in which lookups stay fast.

// Rank r is entry index(r) of the table.
struct CompactMap {
  StridedBlocks index;
  TableRef table;
};

// More than three nested digits stay a formula. All else is packed to the bits that the range of the lpids needs. Other
// tables replace that if they need at most half of its memory, because their lookups cost one bisection or select more:
// runs of neighbours, or for a monotone sequence a bitmap or Elias–Fano. An existing table of the same contents is
// shared. `lpids` is not empty.
CompactMap compact(std::int32_t group, std::span<const std::int32_t> lpids);

}  // namespace marshal
