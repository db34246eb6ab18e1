#include "messages/mpich/cut_receives.h"

#include <array>
#include <atomic>
#include <utility>

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

namespace receive_ends {
namespace {

constexpr UcsStatus truncated = -9;  // UCS_ERR_MESSAGE_TRUNCATED

// MPICH's callbacks: one for each of its few receive functions. UCX has no room to remember which callback a function
// stands in front of. So there is such a function for each place in this table.
constexpr std::size_t most_callbacks = 32;
constinit std::atomic<UcxReceiveCallback*> callbacks[most_callbacks];

template <std::size_t place>
void has_ended(void* request, UcsStatus status, const UcxReceived* received, void* user_data) {
  const std::size_t refused = std::exchange(detail::refused, 0);
  if (refused != 0 && status == 0 && received->bytes == refused) [[unlikely]]
    status = truncated;
  callbacks[place].load(std::memory_order_relaxed)(request, status, received, user_data);
}

template <std::size_t... place>
constexpr std::array<UcxReceiveCallback*, most_callbacks> in_front(std::index_sequence<place...>) {
  return {has_ended<place>...};
}
constinit const std::array<UcxReceiveCallback*, most_callbacks> stand_ins =
    in_front(std::make_index_sequence<most_callbacks>());

bool is_stand_in(UcxReceiveCallback* callback) {
  for (UcxReceiveCallback* const ours : stand_ins)
    if (callback == ours) return true;
  return false;
}

}  // namespace

UcxReceiveCallback* in_front_of(UcxReceiveCallback* callback) {
  for (std::size_t place = 0; place < most_callbacks; ++place) {
    UcxReceiveCallback* here = callbacks[place].load(std::memory_order_relaxed);
    if (here == callback) return stand_ins[place];
    if (here != nullptr) continue;
    // UCX's older receives call its newer one.
    if (is_stand_in(callback)) return callback;
    if (callbacks[place].compare_exchange_strong(here, callback, std::memory_order_relaxed) || here == callback)
      return stand_ins[place];
  }
  return callback;
}

Watched::Watched(const ucx::Parameters& given) {
  constexpr std::uint32_t known = ucx::with_request | ucx::with_callback | ucx::with_user_data | ucx::with_datatype |
                                  ucx::with_flags | ucx::ends_by_callback;
  if ((given.mask & ~known) != 0 || (given.mask & ucx::with_callback) == 0) {
    given_ = &given;
    return;
  }
  own_ = given;
  own_.callback = reinterpret_cast<void*>(in_front_of(reinterpret_cast<UcxReceiveCallback*>(given.callback)));
}

}  // namespace receive_ends
}  // namespace marshal
