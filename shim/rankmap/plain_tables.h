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
  std::size_t bytes() const override;
  std::string_view format() const override { return "lut"; }
  bool several_groups() const override { return false; }

 private:
  std::int32_t group_;
  std::vector<std::int32_t> lpids_;
  InverseIndex inverse_;
};

// 8 bytes an entry, as a list of pointers to processes takes: also the sparse-group paper's plist.
class ProcessTable final : public RankTable {
 public:
  explicit ProcessTable(std::span<const Process> processes, std::string_view format = "mlut")
      : processes_(processes.begin(), processes.end()), format_(format) {}

  std::int32_t size() const override { return static_cast<std::int32_t>(processes_.size()); }
  Process at(std::int32_t i) const override { return processes_[static_cast<std::size_t>(i)]; }
  std::int32_t index_of(Process process) const override { return inverse_.find(*this, process); }
  std::size_t bytes() const override;
  std::string_view format() const override { return format_; }
  bool several_groups() const override { return true; }

 private:
  std::vector<Process> processes_;
  std::string_view format_;
  InverseIndex inverse_;
};

}  // namespace marshal
