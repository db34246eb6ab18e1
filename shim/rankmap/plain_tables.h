// The two tables of AV-Rankmap: lut (lpids of one process group) and mlut (pairs of process group and lpid).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "rankmap/inverse_index.h"
#include "rankmap/rank_table.h"

namespace marshal {

// 4 bytes an entry.
class LpidTable final : public RankTable {
 public:
  LpidTable(std::int32_t group, std::span<const std::int32_t> lpids)
      : group_(group), lpids_(lpids.begin(), lpids.end()) {}

  std::int32_t size() const override { return static_cast<std::int32_t>(lpids_.size()); }
  Process at(std::int32_t i) const override { return {group_, lpids_[static_cast<std::size_t>(i)]}; }
  std::int32_t index_of(Process process) const override { return inverse_.find(*this, process); }
  void read_lpids(std::span<std::int32_t> lpids) const override;
  const DenseInverse* dense_inverse() const override { return inverse_.dense(*this); }
  std::size_t bytes() const override;
  std::string_view format() const override { return "lut"; }
  std::int32_t only_group() const override { return group_; }

 private:
  std::int32_t group_;
  std::vector<std::int32_t> lpids_;
  InverseIndex inverse_;
};

// 8 bytes an entry, as a list of pointers to processes takes: also the sparse-group paper's plist.
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

}  // namespace marshal
