// Learns which messages of datatypes the host keeps back until the receiver is there. Some programs wrongly rely on
// eager sends. UCX switches to rendezvous earlier for bytes than for datatypes, so only messages that MPICH would send
// by rendezvous anyway are sent as bytes.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <mutex>

namespace marshal {

// The size from which on a host keeps a message back, learned from its sends. A message that has gone when the call
// returns was not kept back. A message that has not gone may have met a full socket, or a connection that is not made
// yet. So the size counts only after several messages were kept back, some time apart, and if no message as long has
// gone at once. For one thread at a time.
class RendezvousSizes {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // The smallest size that is known to be kept back; the largest number while none is.
  std::int64_t from() const { return from_; }

  void note(std::int64_t bytes, bool kept_back, Time now) {
    if (!kept_back) {
      gone_at_once_ = std::max(gone_at_once_, bytes);
      if (bytes >= from_) from_ = unknown;
      if (bytes >= largest_) seen_ = 0;
      return;
    }
    if (bytes >= from_ || bytes <= gone_at_once_ || (seen_ > 0 && now - last_ < apart)) return;
    largest_ = seen_ == 0 ? bytes : std::max(largest_, bytes);
    last_ = now;
    if (++seen_ < enough) return;
    from_ = largest_;
    seen_ = 0;
  }

 private:
  static constexpr std::int64_t unknown = std::numeric_limits<std::int64_t>::max();
  static constexpr int enough = 4;
  static constexpr std::chrono::milliseconds apart{1};

  std::int64_t from_ = unknown, gone_at_once_ = 0;
  int seen_ = 0;              // kept back since the last change
  std::int64_t largest_ = 0;  // of those
  Time last_{};
};

// Thread safe.
class RendezvousSends {
 public:
  bool include(std::int64_t bytes) {
    const std::lock_guard lock(mutex_);
    return bytes >= sizes_.from();
  }

  // `returned`: UCX's answer for a message that was not synchronous. It is null when the message has gone, an error, or
  // a request.
  void note(std::int64_t bytes, const void* returned) {
    if (returned != nullptr && !is_request(returned)) return;
    const std::lock_guard lock(mutex_);
    sizes_.note(bytes, returned != nullptr, std::chrono::steady_clock::now());
  }

  static bool is_request(const void* returned) {
    constexpr auto last_error = static_cast<std::uintptr_t>(-100);  // UCS_ERR_LAST
    const auto as_number = reinterpret_cast<std::uintptr_t>(returned);
    return as_number != 0 && as_number < last_error;
  }

 private:
  std::mutex mutex_;
  RendezvousSizes sizes_;
};

}  // namespace marshal
