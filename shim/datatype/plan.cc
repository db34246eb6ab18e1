#include "datatype/plan.h"

#include <algorithm>

#include "datatype/folding.h"

namespace marshal::datatype {
namespace {

// Bytes that a first program moves in about the time that a search takes: some tens of microseconds, and for lists some
// tens of nanoseconds a block.
std::int64_t search_after(std::int64_t size) { return 512 * 1024 + 32 * size; }

constexpr std::size_t most_counted = 8;
constexpr std::int64_t least_counted_bytes = 2048;

}  // namespace

Plan::Plan(Pieces pieces, std::int64_t extent, const CompileOptions& options)
    : pieces_(std::move(pieces)),
      extent_(extent),
      size_(packed_size(pieces_)),
      blocks_(block_count(pieces_)),
      mean_block_(size_ / std::max<std::int64_t>(blocks_, 1)),
      touched_(datatype::touched(pieces_)),
      options_(options),
      joins_(pieces_.size() > 0 && !is_one_block() && last_end(pieces_.back()) == first_byte(pieces_.front()) + extent),
      bytes_until_search_{} {
  options_.search = Search::quick;
  programs_.push_back(std::make_unique<const Program>(compiled(pieces_, extent_, options_)));
  const Program& first = *programs_.back();
  current_ = &first;
  if (options.search == Search::quick) return;
  if (first.draft_of_one) bytes_until_search_[0] = search_after(size_);
  if (first.draft_of_many || joins_) bytes_until_search_[1] = search_after(size_);
}

const Program& Plan::improved(std::int64_t count, std::int64_t bytes) const {
  std::atomic<std::int64_t>& until_search = bytes_until_search_[count > 1 ? 1 : 0];
  if (const std::int64_t left = until_search.load(std::memory_order_relaxed); left > 0) {
    constexpr std::int64_t least = 64;
    until_search.store(std::max<std::int64_t>(left - std::max(bytes, least), 1), std::memory_order_relaxed);
    if (left <= bytes) search(count > 1);
  }
  if (is_settled(count) && joins_ && count > 1 && count * size_ >= least_counted_bytes)
    if (const Program* whole = program_of_whole(count)) return *whole;
  return *current_.load(std::memory_order_acquire);
}

void Plan::search(bool of_many) const {
  const std::lock_guard lock(making_);
  if (is_settled(of_many ? 2 : 1)) return;
  CompileOptions options = options_;
  options.search = of_many ? Search::of_many : Search::of_one;
  programs_.push_back(std::make_unique<const Program>(compiled(pieces_, extent_, options)));
  current_.store(programs_.back().get(), std::memory_order_release);
  bytes_until_search_[0].store(0, std::memory_order_relaxed);
  if (of_many) bytes_until_search_[1].store(0, std::memory_order_relaxed);
}

// The program for so many instances as one; its extent is never used. Null if there are too many of these programs.
const Program* Plan::program_of_whole(std::int64_t count) const {
  const Counted* counted = counted_.load(std::memory_order_acquire);
  if (counted != nullptr && counted->count == count) return &counted->program;
  const std::lock_guard lock(making_);
  auto found = std::find_if(counted_programs_.begin(), counted_programs_.end(),
                            [&](const auto& c) { return c->count == count; });
  if (found == counted_programs_.end()) {
    if (counted_programs_.size() >= most_counted) return nullptr;
    CompileOptions options = options_;
    options.search = Search::of_one;
    Program whole = compiled(repeated(pieces_, count, extent_), 0, options);
    counted_programs_.push_back(std::make_unique<const Counted>(Counted{count, std::move(whole)}));
    found = counted_programs_.end() - 1;
  }
  counted_.store(found->get(), std::memory_order_release);
  return &(*found)->program;
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
