#include "host/layouts.h"

#include <xxhash.h>

#include <algorithm>

namespace marshal {
namespace {

using datatype::Piece;
using datatype::Pieces;

std::uint64_t hash_of(const Pieces& pieces, std::int64_t extent) {
  std::uint64_t hash = static_cast<std::uint64_t>(extent);
  for (const Piece& p : pieces) {
    const std::int64_t numbers[] = {p.disp, p.length, p.count, p.stride};
    hash = XXH3_64bits_withSeed(numbers, sizeof numbers, p.body.empty() ? hash : hash_of(p.body, extent) ^ hash);
  }
  return hash;
}

std::size_t piece_count(const Pieces& pieces) {
  std::size_t count = pieces.size();
  for (const Piece& p : pieces)
    if (!p.body.empty()) count += piece_count(p.body);
  return count;
}

}  // namespace

void PackCalls::add_timed(std::int64_t more, std::int64_t ns) {
  constexpr double disturbed = 8;
  const auto now = static_cast<double>(std::max<std::int64_t>(ns, 1));
  const auto bytes_of_fastest = static_cast<double>(fastest_bytes_.load(std::memory_order_relaxed));
  const auto fastest = static_cast<double>(fastest_ns_.load(std::memory_order_relaxed));
  const bool is_first = fastest == 0;
  const double larger = is_first ? 1 : std::max(1.0, static_cast<double>(more) / bytes_of_fastest);
  if (!is_first && now >= disturbed * fastest * larger) return;
  const bool is_as_large = static_cast<double>(more) >= bytes_of_fastest;
  if (is_as_large && disturbed * now <= fastest) {
    timed_bytes.store(0, std::memory_order_relaxed);
    timed_ns.store(0, std::memory_order_relaxed);
  }
  if (is_first || (is_as_large && now < fastest * larger)) {
    fastest_bytes_.store(more, std::memory_order_relaxed);
    fastest_ns_.store(static_cast<std::int64_t>(now), std::memory_order_relaxed);
  }
  add(timed_bytes, static_cast<std::uint64_t>(more));
  add(timed_ns, static_cast<std::uint64_t>(now));
}

std::size_t Layouts::Hash::operator()(const std::vector<std::int64_t>& numbers) const {
  return XXH3_64bits(numbers.data(), numbers.size() * sizeof numbers[0]);
}

std::shared_ptr<const SharedLayout> Layouts::find(const Code& code) const {
  const std::lock_guard lock(mutex_);
  const auto seen = by_code_.find(code);
  return seen == by_code_.end() ? nullptr : seen->second.lock();
}

std::shared_ptr<const SharedLayout> Layouts::share(Code code, Pieces pieces, std::int64_t extent,
                                                   const datatype::CompileOptions& options) {
  const std::uint64_t hash = hash_of(pieces, extent);
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const SharedLayout> layout;
  const auto [first, end] = by_pieces_.equal_range(hash);
  for (auto at = first; at != end; ++at)
    if (const datatype::Plan& plan = at->second->plan; plan.extent() == extent && plan.pieces() == pieces)
      layout = at->second;
  if (!layout) {
    layout = std::make_shared<const SharedLayout>(std::move(pieces), extent, options);
    by_pieces_.emplace(hash, layout);
    pieces_ += piece_count(layout->plan.pieces());
    if (by_pieces_.size() > drop_at_.layouts || pieces_ > drop_at_.pieces) drop_unused();
  }
  remember(std::move(code), layout);
  return layout;
}

void Layouts::remember(Code code, const std::shared_ptr<const SharedLayout>& layout) {
  const std::size_t numbers = code.size();
  if (numbers > most_.numbers) return;
  if (numbers_ + numbers > most_.numbers) {
    by_code_.clear();
    numbers_ = 0;
  }
  if (by_code_.insert_or_assign(std::move(code), layout).second) numbers_ += numbers;
}

void Layouts::drop_unused() {
  pieces_ = 0;
  std::erase_if(by_pieces_, [&](const auto& entry) {
    const bool unused = entry.second.use_count() == 1;
    if (unused)
      farewell_(*entry.second);
    else
      pieces_ += piece_count(entry.second->plan.pieces());
    return unused;
  });
  // If all are in use, do not search at every new layout.
  drop_at_ = {std::max(most_.layouts, 2 * by_pieces_.size()), std::max(most_.pieces, 2 * pieces_), most_.numbers};
}

void Layouts::for_each(const std::function<void(const SharedLayout&)>& visit) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, layout] : by_pieces_) visit(*layout);
}

std::size_t Layouts::size() const {
  const std::lock_guard lock(mutex_);
  return by_pieces_.size();
}

}  // namespace marshal
