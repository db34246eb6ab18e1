// The choice whether the engine or the host moves a message of derived datatypes.
#pragma once

#include <cstdint>

#include "base/relaxed.h"
#include "types/layouts.h"
#include "types/site_history.h"

namespace marshal::messages {

namespace detail {
// Messages shorter than asked_from with mean blocks up to engine_up_to go to the engine without a trial. In bytes.
inline Relaxed<std::int64_t> engine_up_to, asked_from;
}  // namespace detail

// True if the engine moves messages at all: from begin() to end() (message_engine.h).
[[gnu::always_inline]] inline bool are_on() { return messages_are_seen; }

// By the settings in force.
void begin_to_choose();

// True where MARSHAL_MESSAGES says that the engine moves all messages in the pipeline.
bool always_moves();

// True if all messages of the layout are left to the host: its blocks are so long that the host is as fast.
bool is_left_to_host(const SharedLayout& layout);

// For one message: whether the host moves it (else the engine), and whether that is timed.
struct Choice {
  bool by_host, timed;
};
Choice choose_by_trial(const SharedLayout& layout, MessageAccount& account, std::int64_t bytes);
inline Choice choose(const SharedLayout& layout, MessageAccount& account, std::int64_t bytes) {
  if (layout.plan.mean_block() <= detail::engine_up_to && bytes < detail::asked_from) [[likely]]
    return {false, false};
  return choose_by_trial(layout, account, bytes);
}

}  // namespace marshal::messages
