#include "datatype/layout_cache.h"

#include <xxhash.h>

#include <algorithm>

namespace marshal::datatype {

std::size_t HashOfNumbers::operator()(const std::vector<std::int64_t>& numbers) const {
  return XXH3_64bits(numbers.data(), numbers.size() * sizeof numbers[0]);
}

namespace {

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

std::shared_ptr<const SharedLayout> LayoutCache::share(Pieces pieces, std::int64_t extent,
                                                       const CompileOptions& options) {
  const std::uint64_t hash = hash_of(pieces, extent);
  const std::lock_guard lock(mutex_);
  const auto [first, end] = layouts_.equal_range(hash);
  for (auto at = first; at != end; ++at)
    if (const Plan& plan = at->second->plan; plan.extent() == extent && plan.pieces() == pieces) return at->second;
  auto made = std::make_shared<const SharedLayout>(std::move(pieces), extent, options);
  layouts_.emplace(hash, made);
  pieces_ += piece_count(made->plan.pieces());
  if (layouts_.size() > drop_at_.layouts || pieces_ > drop_at_.pieces) drop_unused();
  return made;
}

void LayoutCache::drop_unused() {
  pieces_ = 0;
  for (auto at = layouts_.begin(); at != layouts_.end();) {
    if (at->second.use_count() > 1) {
      pieces_ += piece_count(at->second->plan.pieces());
      ++at;
      continue;
    }
    farewell_(*at->second);
    at = layouts_.erase(at);
  }
  // Where all are in use, not at every new one.
  drop_at_ = {std::max(most_.layouts, 2 * layouts_.size()), std::max(most_.pieces, 2 * pieces_)};
}

void LayoutCache::for_each(const std::function<void(const SharedLayout&)>& visit) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [hash, layout] : layouts_) visit(*layout);
}

std::size_t LayoutCache::size() const {
  const std::lock_guard lock(mutex_);
  return layouts_.size();
}

}  // namespace marshal::datatype
