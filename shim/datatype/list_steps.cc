#include <algorithm>
#include <numeric>

#include "datatype/compile.h"

namespace marshal::datatype {
namespace {

using Blocks = std::span<const Piece>;

// The facts that decide how some blocks are copied.
struct Facts {
  std::int64_t low, end;      // of the memory that they lie in
  std::int64_t size = 0;      // packed
  std::int64_t longest_unit;  // the greatest common divisor of their lengths, if they are not of one length
  bool even = true;           // of one length
};

Facts facts_of(Blocks blocks) {
  Facts f{blocks.front().disp, blocks.front().disp, 0, blocks.front().length, true};
  for (const Piece& b : blocks) {
    f.low = std::min(f.low, b.disp);
    f.end = std::max(f.end, b.disp + b.length);
    f.size += b.length;
    f.even = f.even && b.length == f.longest_unit;
  }
  if (f.even) return f;
  for (const Piece& b : blocks)
    if (b.length % f.longest_unit != 0) f.longest_unit = std::gcd(f.longest_unit, b.length);
  return f;
}

class ListCompiler {
 public:
  ListCompiler(std::vector<Step>& steps, const CompileOptions& options) : steps_(steps), options_(options) {}

  ListSteps append(Blocks blocks, std::int64_t packed) {
    constexpr std::size_t chunk = 512;
    const std::int64_t begin = packed;
    while (!blocks.empty()) {
      std::size_t count = blocks.size() < chunk + chunk / 2 ? blocks.size() : chunk;
      Facts facts = facts_of(blocks.first(count));
      while (!is_near(facts) && count > 1) {
        count /= 2;
        facts = facts_of(blocks.first(count));
      }
      append(blocks.first(count), packed, facts);
      packed += facts.size;
      blocks = blocks.subspan(count);
    }
    return {packed - begin, is_draft_};
  }

 private:
  // True if 32 bits hold all displacements from the lowest one, and the sum of the lengths. A single block that does
  // not fit is copied as a list of one length all the same.
  static bool is_near(const Facts& facts) {
    return facts.end - facts.low <= Step::longest_offset && facts.size <= Step::longest_offset;
  }

  // Blocks of several units of one length are cut into those units.
  void append(Blocks blocks, std::int64_t packed, const Facts& facts) {
    const bool automatic = options_.strategy == Strategy::automatic;
    const bool few_units = automatic && facts.longest_unit >= 4 &&
                           facts.size / facts.longest_unit <= static_cast<std::int64_t>(blocks.size() * 3 / 2);
    if (facts.even || few_units) return of_one_length(blocks, packed, facts);
    if (automatic && may_be_binned(facts)) {
      if (options_.search == Search::quick)
        is_draft_ = true;
      else if (binned(blocks, packed, facts))
        return;
    }
    ragged(blocks, packed, facts);
  }

  // Bins read memory in an order that is fast only in caches: beyond them bins are three times slower than masks,
  // within a second-level cache 1.4 times as fast (measured on Zen 4).
  bool may_be_binned(const Facts& facts) const {
    constexpr std::int64_t first_level_cache = 32 * 1024, most = 4 << 20;
    return facts.end - facts.low <= (options_.kernels->ragged_by_masks ? first_level_cache : most);
  }

  void of_one_length(Blocks blocks, std::int64_t packed, const Facts& facts) {
    const std::int64_t length = facts.longest_unit;
    if (!steps_.empty() && steps_.back().kind == Step::Kind::list && steps_.back().length == length) {
      Step& last = steps_.back();
      if (facts.low - last.user >= -Step::longest_offset && facts.end - last.user <= Step::longest_offset)
        return append_offsets(last, blocks, facts);
    }
    const BlockLoops loops = options_.kernels->loops(length);
    Step s;
    s.kind = Step::Kind::list;
    s.gather = loops.gather;
    s.scatter = loops.scatter;
    s.packed = packed;
    s.length = length;
    s.user = facts.low;
    append_offsets(s, blocks, facts);
    steps_.push_back(std::move(s));
  }

  static void append_offsets(Step& s, Blocks blocks, const Facts& facts) {
    std::size_t at = s.offsets.size();
    s.offsets.resize(at + static_cast<std::size_t>(facts.size / s.length));
    for (const Piece& b : blocks)
      for (std::int64_t unit = 0; unit < b.length; unit += s.length)
        s.offsets[at++] = static_cast<std::int32_t>(b.disp + unit - s.user);
  }

  void ragged(Blocks blocks, std::int64_t packed, const Facts& facts) {
    Step s;
    s.kind = Step::Kind::ragged;
    s.packed = packed;
    s.user = facts.low;
    s.offsets.resize(blocks.size());
    s.lengths.resize(blocks.size());
    s.packed_offsets.resize(blocks.size());
    std::int64_t at = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      s.offsets[i] = static_cast<std::int32_t>(blocks[i].disp - s.user);
      s.lengths[i] = static_cast<std::int32_t>(blocks[i].length);
      s.packed_offsets[i] = static_cast<std::int32_t>(at);
      at += blocks[i].length;
    }
    s.marks = PositionMarks(s.packed_offsets.data(), s.packed_offsets.size(), at);
    steps_.push_back(std::move(s));
  }

  // False where there are not enough blocks of each length.
  bool binned(Blocks blocks, std::int64_t packed, const Facts& facts) {
    constexpr std::size_t least_in_bin = 8;
    struct Block {
      std::int64_t length, disp, packed;
    };
    std::vector<Block> sorted;
    sorted.reserve(blocks.size());
    std::int64_t size = 0;
    for (const Piece& b : blocks) {
      sorted.push_back({b.length, b.disp, size});
      size += b.length;
    }
    std::stable_sort(sorted.begin(), sorted.end(), [](const Block& a, const Block& b) { return a.length < b.length; });
    Step s;
    s.kind = Step::Kind::bins;
    s.packed = packed;
    s.user = facts.low;
    for (const Block& b : sorted) {
      if (s.bins.empty() || s.bins.back().length != b.length)
        s.bins.push_back({b.length, nullptr, s.offsets.size(), 0});
      ++s.bins.back().count;
      s.offsets.push_back(static_cast<std::int32_t>(b.disp - s.user));
      s.packed_offsets.push_back(static_cast<std::int32_t>(b.packed));
    }
    if (s.offsets.size() < least_in_bin * s.bins.size()) return false;
    for (Step::Bin& bin : s.bins) bin.copy = options_.kernels->loops(bin.length).pairs;
    steps_.push_back(std::move(s));
    return true;
  }

  std::vector<Step>& steps_;
  const CompileOptions& options_;
  bool is_draft_ = false;
};

}  // namespace

ListSteps append_list_steps(std::vector<Step>& steps, std::span<const Piece> blocks, std::int64_t packed,
                            const CompileOptions& options) {
  return ListCompiler(steps, options).append(blocks, packed);
}

}  // namespace marshal::datatype
