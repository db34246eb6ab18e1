// A group in terms of its parent's ranks, with a copy of the parent's map: the common part of the sparse formats.
#pragma once

#include <cstdint>
#include <span>

#include "rankmap/rank_map.h"
#include "rankmap/rank_table.h"
#include "rankmap/scratch_array.h"

namespace marshal {

class ChainedTable : public RankTable {
 public:
  explicit ChainedTable(const RankMap& parent) : parent_(parent), only_group_(parent.only_group()) {}

  const RankMap& parent() const { return parent_; }
  // The parent's rank at index i, at some indices (in their place), at all indices.
  virtual std::int32_t parent_rank(std::int32_t i) const = 0;
  void to_parent_ranks(std::span<std::int32_t> indices) const {
    if (worth_reading_all(indices.size(), size())) {
      ScratchArray<std::int32_t> ranks(static_cast<std::size_t>(size()));
      read_parent_ranks(ranks.all());
      for (std::int32_t& index : indices) index = ranks.all()[static_cast<std::size_t>(index)];
    } else {
      for (std::int32_t& index : indices) index = parent_rank(index);
    }
  }
  virtual void read_parent_ranks(std::span<std::int32_t> all) const = 0;
  // The way back: index_of[parent_rank(i)] = i for all indices; the rest is left as it is.
  virtual void invert_parent_ranks(std::span<std::int32_t> index_of) const = 0;

  Process at(std::int32_t i) const override { return parent_.process(parent_rank(i)); }
  std::int32_t index_of(Process process) const override {
    const std::int32_t rank = parent_.rank_of(process);
    return rank < 0 ? -1 : index_of_parent(rank);
  }
  std::int32_t only_group() const override { return only_group_; }
  const ChainedTable* chained() const override { return this; }
  const RankMap* to_parent(std::span<std::int32_t> indices) const override {
    to_parent_ranks(indices);
    return &parent_;
  }
  void read_lpids(std::span<std::int32_t> lpids) const override {
    read_parent_ranks(lpids);
    parent_.to_lpids(lpids);
  }
  void read_groups(std::span<std::int32_t> groups) const override {
    read_parent_ranks(groups);
    parent_.to_groups(groups);
  }

 protected:
  // -1 when that rank of the parent is no member.
  virtual std::int32_t index_of_parent(std::int32_t rank) const = 0;
  // The reference to the parent lies within this object.
  std::size_t parent_share() const { return parent_.bytes() - sizeof parent_; }

 private:
  RankMap parent_;
  std::int32_t only_group_;
};

}  // namespace marshal
