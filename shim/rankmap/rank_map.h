// The rank map of a communicator or group: rank ↔ (process group, lpid), in one cache line.
//
// A map is an index formula and, if that does not suffice, a shared table that the formula points into. Without a table
// the formula gives the lpids themselves. Immutable; copies share tables by counting references; safe to read, copy and
// drop from any thread. Sources: AV-Rankmap (models, Table II), sparse groups (formats).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "pattern/strided_sequence.h"
#include "rankmap/map_form.h"
#include "rankmap/rank_table.h"

namespace marshal {

// The model that a child communicator gets from its parent's model and from the pattern of its ranks in the parent.
// Source: AV-Rankmap section III-C and Table II, with the rows and columns that its text adds (blockstride,
// md-blockstride, and tables indexed by a pattern).
enum class RankmapModel : std::uint8_t { direct, offset, stride, blockstride, md_blockstride, lut, mlut };

// The model of a formula. If the formula gives ranks in a parent, `direct` is a prefix of these ranks.
RankmapModel regular_model(const StridedBlocks& pattern);

struct ChildModel {
  RankmapModel model;
  // The child reads the parent's table: the starred entries of Table II, and the models that the text names
  // lut-stride … mlut-md-blockstride.
  bool shares_table;
  bool operator==(const ChildModel&) const = default;
};

// `parent` any model; `indirect` a regular model, or lut for an irregular array of parent ranks. An entry of lut or
// mlut is scanned once more before it is believed.
ChildModel child_model(RankmapModel parent, RankmapModel indirect);

class alignas(64) RankMap {
 public:
  // The empty map, of no process.
  RankMap() = default;

  // Rank r is lpid r of `group`.
  static RankMap identity(std::int32_t group, std::int32_t size, MapForm form);
  // Rank r is lpid lpids[r] of `group`; the lpids differ from each other.
  static RankMap from_lpids(std::int32_t group, std::span<const std::int32_t> lpids, MapForm form);
  // Rank r is processes[r]; they differ from each other.
  static RankMap from_processes(std::span<const Process> processes, MapForm form);

  // The child whose rank r is this map's rank parent_ranks[r], in this map's form. Parent ranks lie within the map and
  // differ from each other. `rankmap` follows Table II; the sparse formats chain to this map.
  RankMap derive(std::span<const std::int32_t> parent_ranks) const;
  // The same; with `blocks`, in constant time where both are patterns that compose.
  RankMap derive(const StridedBlocks& parent_ranks) const;
  // The ranks of `low`, then those of `high`, as MPI_Intercomm_merge orders them; in the form of `low`.
  static RankMap concatenate(const RankMap& low, const RankMap& high);

  MapForm form() const { return form_; }
  // True if ranks can be translated at all: not with MapForm::off.
  bool tracked() const { return form_ != MapForm::off; }
  std::int32_t size() const { return pattern_.size(); }
  // The process of a rank, 0 <= rank < size(); tracked maps only.
  Process process(std::int32_t rank) const {
    const std::int32_t index = pattern_(rank);
    return table_ ? table_->at(index) : Process{group_, index};
  }
  // The rank of a process, or -1 when it is not a member.
  std::int32_t rank_of(Process process) const;
  // All processes in the order of ranks.
  std::vector<Process> processes() const;
  // The same in two arrays of size(), at the speed of a copy in most forms.
  void read_lpids(std::span<std::int32_t> lpids) const;
  void read_groups(std::span<std::int32_t> groups) const;
  // The lpids or groups of some ranks, in their place. All ranks must be valid.
  void to_lpids(std::span<std::int32_t> ranks) const;
  void to_groups(std::span<std::int32_t> ranks) const;
  // The process group of all ranks, or -1 when they may differ.
  std::int32_t only_group() const { return table_ ? table_->only_group() : group_; }

  // The formula that gives the lpids of process group `group()`, when this map needs no table; else null.
  const StridedBlocks* formula() const { return tracked() && !table_ ? &pattern_ : nullptr; }
  std::int32_t group() const { return group_; }
  // The parts of a lookup: the formula gives entries of the table, or lpids if the table is null.
  const StridedBlocks& index_formula() const { return pattern_; }
  const RankTable* table() const { return table_.get(); }
  // True if the ranks are the indices of the table.
  bool is_whole_table() const { return table_ && pattern_.is_identity() && pattern_.size() == table_->size(); }
  // True if both keep the same formula and table. Maps with different tables may still be equal rank by rank.
  bool same_representation(const RankMap& other) const {
    return pattern_ == other.pattern_ && table() == other.table() && group_ == other.group_;
  }

  // Memory held: this record, and the table's bytes divided by the number of references to it. So the sum over all maps
  // is the memory that Marshal holds. An inverse index made on demand counts from then on. 0 for an untracked map.
  std::size_t bytes() const;
  // True if the same pattern of more ranks would take as many bytes.
  bool constant_size() const { return !table_ || table_->constant_size(); }
  // True if another map keeps this one's table, too.
  bool shares_table() const { return table_.sharers() > 1; }
  // The paper's name of what is kept: direct, offset, stride, blockstride, md-blockstride, lut, mlut, lut-stride, …, or
  // the format of a compressed table.
  std::string_view model() const;

 private:
  RankMap(MapForm form, std::int32_t group, const StridedBlocks& pattern, TableRef table = {});
  RankMap derive_sparse(std::span<const std::int32_t> parent_ranks) const;
  const RankMap& climb(std::span<std::int32_t> ranks) const;
  RankMap derive_scanned(const StridedBlocks& parent_ranks, bool share_table) const;

  StridedBlocks pattern_;
  TableRef table_;
  std::int32_t group_ = 0;
  MapForm form_ = MapForm::blocks;
};

static_assert(sizeof(RankMap) == 64);

// True if it takes less time to read or invert all of a table's entries than to look `lookups` of them up.
constexpr bool worth_reading_all(std::size_t lookups, std::int32_t entries) {
  return 4 * static_cast<std::int64_t>(lookups) >= entries;
}

}  // namespace marshal
