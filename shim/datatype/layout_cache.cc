#include "datatype/layout_cache.h"

#include <xxhash.h>

#include <algorithm>

namespace marshal::datatype {

std::size_t HashOfNumbers::operator()(const std::vector<std::int64_t>& numbers) const {
  return XXH3_64bits(numbers.data(), numbers.size() * sizeof numbers[0]);
}

std::shared_ptr<const SharedLayout> LayoutCache::share(Pieces pieces, std::int64_t extent,
                                                       const CompileOptions& options) {
  Key key = encoded(pieces);
  key.push_back(extent);
  const std::lock_guard lock(mutex_);
  auto& place = layouts_[key];
  if (!place) {
    try {
      place = std::make_shared<const SharedLayout>(std::move(pieces), extent, options);
    } catch (...) {
      layouts_.erase(key);
      throw;
    }
    const std::shared_ptr<const SharedLayout> made = place;
    if (layouts_.size() > std::max(most_kept_, drop_at_)) drop_unused();
    return made;
  }
  return place;
}

void LayoutCache::drop_unused() {
  for (auto at = layouts_.begin(); at != layouts_.end();) {
    if (at->second.use_count() > 1) {
      ++at;
      continue;
    }
    farewell_(*at->second);
    at = layouts_.erase(at);
  }
  drop_at_ = 2 * layouts_.size();  // where all are in use, not at every new one
}

void LayoutCache::for_each(const std::function<void(const SharedLayout&)>& visit) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, layout] : layouts_) visit(*layout);
}

std::size_t LayoutCache::size() const {
  const std::lock_guard lock(mutex_);
  return layouts_.size();
}

}  // namespace marshal::datatype
