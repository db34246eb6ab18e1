// Learns which messages of datatypes the host keeps back until the receiver is there (rendezvous_sizes.h). Some
// programs wrongly rely on eager sends. UCX switches to rendezvous earlier for bytes than for datatypes, so only
// messages that MPICH would send by rendezvous anyway are sent as bytes. Thread safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>

#include "messages/mpich/rendezvous_sizes.h"

namespace marshal {

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
