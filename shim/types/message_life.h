// A type that was read for its messages: what that took, and what the engine has saved since. Messages under way may
// outlive the type. Thread safe: two threads in the same moment may lose a message.
#pragma once

#include <atomic>
#include <cstdint>

#include "types/site_history.h"

namespace marshal {

// True while the engine is in the host's messages: from MPI_Init to MPI_Finalize, where the host allows it.
inline constinit std::atomic<bool> messages_are_seen{false};

// Estimates the ns that the engine saves on one side of a message. `short_are_alike`: every message that travels in one
// piece saves the same little, since the host packs it nearly as fast, as MPICH does. Else the time grows with the
// bytes. The time of short messages was measured on an Intel Xeon (`marshal bench messages --calls ping-pong --only
// vector --sizes 256,1024,4096,8192,12288,16384`).
[[gnu::always_inline]] inline float ns_saved_in_message(std::int64_t bytes, float ns_of_a_kib, bool short_are_alike) {
  constexpr std::int64_t longest_piece = 8192;
  constexpr float of_a_short_one = 64;
  return short_are_alike && bytes <= longest_piece ? of_a_short_one : static_cast<float>(bytes) / 1024 * ns_of_a_kib;
}

class MessageLife {
 public:
  // `ns_of_a_kib`: what the engine saves of 1024 bytes.
  MessageLife(SiteHistory& place, float ns_of_a_kib, bool short_are_alike, std::int64_t read_ns)
      : place_(place),
        ns_of_a_kib_(ns_of_a_kib),
        read_ns_(static_cast<float>(read_ns)),
        short_are_alike_(short_are_alike) {}

  // Called for what the engine moves: a whole message, or a part where short ones are not alike.
  [[gnu::always_inline]] void moved(std::int64_t bytes) {
    saved_ns_.store(
        saved_ns_.load(std::memory_order_relaxed) + ns_saved_in_message(bytes, ns_of_a_kib_, short_are_alike_),
        std::memory_order_relaxed);
  }
  // Called once: the type is destroyed, or the engine does not take it.
  void ended() const {
    const float saved = saved_ns_.load(std::memory_order_relaxed);
    place_.learn_ns_of_a_kib(saved > 0 ? ns_of_a_kib_ : 0);
    place_.ended_after_messages(saved, read_ns_);
  }

 private:
  SiteHistory& place_;
  const float ns_of_a_kib_, read_ns_;
  const bool short_are_alike_;
  std::atomic<float> saved_ns_{0};
};

}  // namespace marshal
