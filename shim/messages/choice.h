// The choice whether the engine or the host moves a message of derived datatypes.
#pragma once

#include <atomic>
#include <cstdint>

#include "types/layouts.h"
#include "types/message_life.h"

namespace marshal::messages {

namespace detail {
// Messages shorter than asked_from with mean blocks up to engine_up_to go to the engine without a trial. In bytes.
inline std::atomic<std::int64_t> engine_up_to{0}, asked_from{0};
}  // namespace detail

// True if the engine moves messages at all: from begin() to end() (message_engine.h).
[[gnu::always_inline]] inline bool are_on() { return messages_are_seen.load(std::memory_order_relaxed); }

// By the settings in force.
void begin_to_choose();

// True if all messages of the layout are left to the host: its blocks are so long that the host is as fast.
bool is_left_to_host(const SharedLayout& layout);

// For one message: whether the host moves it (else the engine), and whether that is timed.
struct Choice {
  bool by_host, timed;
};
Choice choose_by_trial(const SharedLayout& layout, MessageAccount& account, std::int64_t bytes);
inline Choice choose(const SharedLayout& layout, MessageAccount& account, std::int64_t bytes) {
  if (layout.plan.mean_block() <= detail::engine_up_to.load(std::memory_order_relaxed) &&
      bytes < detail::asked_from.load(std::memory_order_relaxed)) [[likely]]
    return {false, false};
  return choose_by_trial(layout, account, bytes);
}

}  // namespace marshal::messages
