// A type that was read for its messages: what that took, and what the engine has saved since. Messages under way may
// outlive the type. Thread safe: two threads in the same moment may lose a message.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "types/layouts.h"
#include "types/message_savings.h"
#include "types/message_sites.h"

namespace marshal {

// True while the engine is in the host's messages: from MPI_Init to MPI_Finalize, where the host allows it.
inline constinit std::atomic<bool> messages_are_seen{false};

class MessageLife {
 public:
  // `site`: the place of its commit (message_sites.h).
  MessageLife(std::size_t site, MessageSavings savings, std::int64_t read_ns)
      : site_(site), read_ns_(read_ns), savings_(savings) {}

  // Called for what the engine moves, as MessageSavings::ns_of().
  [[gnu::always_inline]] void moved(std::int64_t bytes) {
    PackCalls::add(saved_ns_, static_cast<std::uint64_t>(savings_.ns_of(bytes)));
  }
  // Called once: the type is destroyed, or the engine does not take it.
  void ended() const { message_sites.ended(site_, saved_ns_.load(), read_ns_); }

 private:
  const std::size_t site_;
  const std::int64_t read_ns_;
  const MessageSavings savings_;
  std::atomic<std::uint64_t> saved_ns_{0};
};

}  // namespace marshal
