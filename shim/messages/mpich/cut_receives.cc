#include "messages/mpich/cut_receives.h"

#include "base/attempt.h"

namespace marshal {

CutReceives::Kept* CutReceives::find(void* state) {
  if (count_.load(std::memory_order_relaxed) == 0) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto at = kept_.find(state);
  return at == kept_.end() ? nullptr : &at->second;
}

void CutReceives::forget(void* state) {
  const std::lock_guard lock(mutex_);
  kept_.erase(state);
  count_.fetch_sub(1, std::memory_order_relaxed);
}

UcsStatus CutReceives::unpack(Unpack host, void* state, std::size_t offset, const void* packed, std::size_t bytes,
                              std::size_t size) noexcept {
  const auto* const fragment = static_cast<const std::byte*>(packed);
  Kept* const kept = find(state);
  if (kept == nullptr) {
    const UcsStatus status = host(state, offset, packed, bytes);
    if (status == 0 || offset + bytes >= size) return status;
    const bool is_kept = attempt([&] {
      Kept first{offset, {}};
      first.bytes.reserve(size - offset);
      first.bytes.assign(fragment, fragment + bytes);
      const std::lock_guard lock(mutex_);
      kept_.emplace(state, std::move(first));
      count_.fetch_add(1, std::memory_order_relaxed);
    });
    return is_kept ? UcsStatus{0} : status;
  }
  const std::size_t end = kept->from + kept->bytes.size();
  if (offset != end || bytes > size - end) return host(state, offset, packed, bytes);
  kept->bytes.insert(kept->bytes.end(), fragment, fragment + bytes);  // there is room
  if (end + bytes < size) return 0;
  const UcsStatus status = host(state, kept->from, kept->bytes.data(), kept->bytes.size());
  forget(state);
  return status;
}

std::size_t CutReceives::finish(Unpack host, void* state) noexcept {
  const Kept* const kept = find(state);
  if (kept == nullptr) return 0;
  const UcsStatus status = host(state, kept->from, kept->bytes.data(), kept->bytes.size());
  const std::size_t end = kept->from + kept->bytes.size();
  forget(state);
  return status != 0 ? end : 0;
}

}  // namespace marshal
