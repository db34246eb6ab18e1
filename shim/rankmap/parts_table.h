// Processes of several groups that come group by group, as MPI_Intercomm_merge leaves them: a map for each part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rankmap/rank_map.h"
#include "rankmap/rank_table.h"

namespace marshal {

class PartsTable final : public RankTable {
 public:
  // More parts than this are slower to search than a table is to read.
  static constexpr std::size_t most_words = 8;

  // In the order of ranks; none empty, each of one process group.
  explicit PartsTable(std::vector<RankMap> parts);

  std::int32_t size() const override { return size_; }
  Process at(std::int32_t i) const override {
    auto part = parts_.begin();
    for (; i >= part->size(); ++part) i -= part->size();
    return part->process(i);
  }
  std::int32_t index_of(Process process) const override;
  void read_lpids(std::span<std::int32_t> lpids) const override;
  void read_groups(std::span<std::int32_t> groups) const override;
  std::size_t bytes() const override;
  std::string_view format() const override { return "parts"; }
  std::int32_t only_group() const override { return -1; }
  bool constant_size() const override;

 private:
  std::vector<RankMap> parts_;
  std::int32_t size_ = 0;
};

}  // namespace marshal
