#include "datatype/plan.h"

#include <algorithm>

#include "datatype/folding.h"

namespace marshal::datatype {
namespace {

// Bytes that a plan moves before it is worth a search of some tens of microseconds.
constexpr std::int64_t search_after = 128 * 1024;
constexpr std::size_t most_counted = 8;
constexpr std::int64_t least_counted_bytes = 2048;

}  // namespace

Plan::Plan(Pieces pieces, std::int64_t extent, const CompileOptions& options)
    : pieces_(std::move(pieces)),
      extent_(extent),
      size_(packed_size(pieces_)),
      options_(options),
      joins_(pieces_.size() > 0 && last_end(pieces_.back()) == first_byte(pieces_.front()) + extent),
      bytes_until_search_(options.thorough ? search_after : 0) {
  options_.thorough = false;
  programs_.push_back(std::make_unique<const Program>(compiled(pieces_, extent_, options_)));
  options_.thorough = options.thorough;
  current_ = programs_.back().get();
  if (is_one_block()) {
    joins_ = false;
    bytes_until_search_ = 0;
  }
}

const Program& Plan::improved(std::int64_t count, std::int64_t bytes) const {
  if (joins_ && count > 1 && count * size_ >= least_counted_bytes) {
    const Counted* counted = counted_.load(std::memory_order_acquire);
    if (counted != nullptr && counted->count == count) return counted->program;
    const std::lock_guard lock(making_);
    auto found = std::find_if(counted_programs_.begin(), counted_programs_.end(),
                              [&](const auto& c) { return c->count == count; });
    if (found == counted_programs_.end() && counted_programs_.size() < most_counted) {
      // One instance of the whole: its extent is never used.
      Program whole = compiled(repeated(pieces_, count, extent_), 0, options_);
      counted_programs_.push_back(std::make_unique<const Counted>(Counted{count, std::move(whole)}));
      found = counted_programs_.end() - 1;
    }
    if (found != counted_programs_.end()) {
      counted_.store(found->get(), std::memory_order_release);
      return (*found)->program;
    }
  }
  const std::int64_t left = bytes_until_search_.load(std::memory_order_relaxed);
  if (left > 0) {
    bytes_until_search_.store(left - std::min(left, std::max<std::int64_t>(bytes, 64)), std::memory_order_relaxed);
    if (left <= bytes) {
      const std::lock_guard lock(making_);
      if (programs_.size() == 1) {
        programs_.push_back(std::make_unique<const Program>(compiled(pieces_, extent_, options_)));
        current_.store(programs_.back().get(), std::memory_order_release);
      }
    }
  }
  return *current_.load(std::memory_order_acquire);
}

void Plan::pack(std::int64_t count, const std::byte* user, std::byte* packed) const {
  const Program& p = program(count);
  run_pack(p, p.size == size_ ? count : 1, user, packed);
}

void Plan::unpack(std::int64_t count, std::byte* user, const std::byte* packed) const {
  const Program& p = program(count);
  run_unpack(p, p.size == size_ ? count : 1, user, packed);
}

void Plan::pack_range(std::int64_t count, const std::byte* user, std::byte* packed, PackedRange range) const {
  const Program& p = program(count, range.to - range.from);
  run_pack_range(p, p.size == size_ ? count : 1, user, packed, range);
}

void Plan::unpack_range(std::int64_t count, std::byte* user, const std::byte* packed, PackedRange range) const {
  const Program& p = program(count, range.to - range.from);
  run_unpack_range(p, p.size == size_ ? count : 1, user, packed, range);
}

}  // namespace marshal::datatype
