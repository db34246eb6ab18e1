// Moves fragments of messages by the engine, and counts them. No call of MPI, so it may run inside the host's own
// callbacks, on any thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/layouts.h"

namespace marshal {

// A message, or the part of it that a process holds: `count` instances at `user`.
struct MessagePart {
  const SharedLayout& layout;
  std::int64_t count;
  std::byte* user;
};

// Packs or unpacks the packed bytes of `range`, the first of which stands at `packed`. Returns the ns that it took, 0
// where they were not taken: they are if `timed`, and for a sample.
template <bool unpack>
std::int64_t move_fragment(const MessagePart& message, std::byte* packed, datatype::PackedRange range, bool timed);

}  // namespace marshal
