#include "rankmap/sparse_formats.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "pattern/detect.h"
#include "pattern/linear_loops.h"
#include "rankmap/chained_table.h"

namespace marshal {
namespace {

class RangeTable final : public ChainedTable {
 public:
  RangeTable(const RankMap& parent, std::span<const std::int32_t> parent_ranks)
      : ChainedTable(parent), size_(static_cast<std::int32_t>(parent_ranks.size())) {
    for (const std::int32_t rank : parent_ranks) {
      if (!ranges_.empty() && rank == ranges_.back().base + ranges_.back().count) {
        ++ranges_.back().count;
      } else {
        ranges_.push_back({rank, 1});
      }
    }
    ranges_.shrink_to_fit();
  }

  std::int32_t size() const override { return size_; }
  std::size_t bytes() const override { return sizeof *this + ranges_.capacity() * sizeof(Range) + parent_share(); }
  std::string_view format() const override { return "range"; }

 private:
  struct Range {
    std::int32_t base, count;
  };

  template <class Visit>
  void each_rank(Visit visit) const {
    for (const Range& range : ranges_) {
      visit(range.base);  // irregular groups have ranges of one: no loop is begun for it
      for (std::int32_t k = 1; k < range.count; ++k) visit(range.base + k);
    }
  }

  std::int32_t parent_rank(std::int32_t i) const override {
    auto range = ranges_.begin();
    for (; i >= range->count; ++range) i -= range->count;
    return range->base + i;
  }
  void read_parent_ranks(std::span<std::int32_t> all) const override {
    std::int32_t* next = all.data();
    each_rank([&](std::int32_t rank) { *next++ = rank; });
  }
  void invert_parent_ranks(std::span<std::int32_t> index_of) const override {
    std::int32_t* const indices = index_of.data();
    std::int32_t index = 0;
    each_rank([&](std::int32_t rank) { indices[rank] = index++; });
  }

  std::int32_t index_of_parent(std::int32_t rank) const override {
    std::int32_t before = 0;
    for (const Range& range : ranges_) {
      if (rank >= range.base && rank - range.base < range.count) return before + rank - range.base;
      before += range.count;
    }
    return -1;
  }

  std::int32_t size_;
  std::vector<Range> ranges_;
};

class StridedTable final : public ChainedTable {
 public:
  // At least one rank, evenly spaced.
  StridedTable(const RankMap& parent, std::span<const std::int32_t> parent_ranks)
      : ChainedTable(parent),
        offset_(parent_ranks.front()),
        last_(parent_ranks.back()),
        stride_(parent_ranks.size() > 1 ? parent_ranks[1] - parent_ranks[0] : 1) {}

  std::int32_t size() const override { return (last_ - offset_) / stride_ + 1; }
  std::size_t bytes() const override { return sizeof *this + parent_share(); }
  std::string_view format() const override { return "strided"; }

 private:
  std::int32_t parent_rank(std::int32_t i) const override { return offset_ + i * stride_; }
  void read_parent_ranks(std::span<std::int32_t> all) const override {
    fastest_linear_loops().fill({static_cast<std::uint32_t>(offset_), static_cast<std::uint32_t>(stride_)}, all);
  }
  void invert_parent_ranks(std::span<std::int32_t> index_of) const override {
    const std::int32_t count = size();  // takes a division
    std::int32_t* next = index_of.data() + offset_;
    for (std::int32_t i = 0; i < count; ++i, next += stride_) *next = i;
  }

  std::int32_t index_of_parent(std::int32_t rank) const override {
    if (rank < std::min(offset_, last_) || rank > std::max(offset_, last_)) return -1;
    return (rank - offset_) % stride_ == 0 ? (rank - offset_) / stride_ : -1;
  }

  std::int32_t offset_, last_, stride_;
};

class BitmapChainTable final : public ChainedTable {
 public:
  // Increasing ranks.
  BitmapChainTable(const RankMap& parent, std::span<const std::int32_t> parent_ranks)
      : ChainedTable(parent),
        size_(static_cast<std::int32_t>(parent_ranks.size())),
        words_((static_cast<std::size_t>(parent.size()) + 63) / 64) {
    for (const std::int32_t rank : parent_ranks) words_[word(rank)] |= std::uint64_t{1} << (rank & 63);
  }

  std::int32_t size() const override { return size_; }
  std::size_t bytes() const override {
    return sizeof *this + words_.capacity() * sizeof(std::uint64_t) + parent_share();
  }
  std::string_view format() const override { return "bitmap"; }

 private:
  static std::size_t word(std::int32_t rank) { return static_cast<std::size_t>(rank >> 6); }

  template <class Visit>
  void each_rank(Visit visit) const {
    for (std::size_t w = 0; w < words_.size(); ++w)
      for (std::uint64_t ones = words_[w]; ones != 0; ones &= ones - 1)
        visit(static_cast<std::int32_t>(w * 64) + std::countr_zero(ones));
  }

  std::int32_t parent_rank(std::int32_t i) const override {
    std::size_t w = 0;
    for (int ones; i >= (ones = std::popcount(words_[w])); ++w) i -= ones;
    std::uint64_t rest = words_[w];
    for (; i > 0; --i) rest &= rest - 1;
    return static_cast<std::int32_t>(w * 64) + std::countr_zero(rest);
  }
  void read_parent_ranks(std::span<std::int32_t> all) const override {
    std::int32_t* next = all.data();
    each_rank([&](std::int32_t rank) { *next++ = rank; });
  }
  void invert_parent_ranks(std::span<std::int32_t> index_of) const override {
    std::int32_t* const indices = index_of.data();
    std::int32_t index = 0;
    each_rank([&](std::int32_t rank) { indices[rank] = index++; });
  }

  std::int32_t index_of_parent(std::int32_t rank) const override {
    const std::uint64_t bit = std::uint64_t{1} << (rank & 63);
    if ((words_[word(rank)] & bit) == 0) return -1;
    std::int32_t before = std::popcount(words_[word(rank)] & (bit - 1));
    for (std::size_t w = 0; w < word(rank); ++w) before += std::popcount(words_[w]);
    return before;
  }

  std::int32_t size_;
  std::vector<std::uint64_t> words_;
};

bool increasing(std::span<const std::int32_t> ranks) { return std::is_sorted(ranks.begin(), ranks.end()); }

}  // namespace

SparseEstimates sparse_estimates(std::int32_t parent_size, std::span<const std::int32_t> parent_ranks) {
  SparseEstimates bytes{};
  bytes.plist = static_cast<std::int64_t>(parent_ranks.size() * sizeof(void*));
  for (std::size_t i = 0; i < parent_ranks.size(); ++i) {
    if (i == 0 || parent_ranks[i] != parent_ranks[i - 1] + 1) bytes.range += 8;
  }
  const auto pattern = detect(parent_ranks);
  if (!parent_ranks.empty() && pattern && pattern->is_linear()) bytes.strided = 12;
  if (increasing(parent_ranks)) bytes.bitmap = (std::int64_t{parent_size} + 7) / 8;
  return bytes;
}

MapForm sparse_format(MapForm wanted, std::int32_t parent_size, std::span<const std::int32_t> parent_ranks) {
  if (parent_ranks.empty()) return MapForm::plist;
  const SparseEstimates bytes = sparse_estimates(parent_size, parent_ranks);
  switch (wanted) {
    case MapForm::range:
      return MapForm::range;
    case MapForm::strided:
      return bytes.strided ? MapForm::strided : MapForm::plist;
    case MapForm::bitmap:
      return bytes.bitmap ? MapForm::bitmap : MapForm::plist;
    case MapForm::sparse: {
      MapForm best = MapForm::plist;
      std::int64_t least = bytes.plist;
      const auto consider = [&](MapForm form, std::optional<std::int64_t> estimate) {
        if (estimate && *estimate < least) best = form, least = *estimate;
      };
      consider(MapForm::range, bytes.range);
      consider(MapForm::strided, bytes.strided);
      consider(MapForm::bitmap, bytes.bitmap);
      return best;
    }
    default:
      return MapForm::plist;
  }
}

TableRef sparse_table(MapForm format, const RankMap& parent, std::span<const std::int32_t> parent_ranks) {
  switch (format) {
    case MapForm::range:
      return TableRef(new RangeTable(parent, parent_ranks));
    case MapForm::strided:
      return TableRef(new StridedTable(parent, parent_ranks));
    default:
      return TableRef(new BitmapChainTable(parent, parent_ranks));
  }
}

}  // namespace marshal
