// Moves fragments of messages by the engine, and counts them. No call of MPI, so it may run inside the host's own
// callbacks, on any thread.
#pragma once

#include <algorithm>
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

// The packed bytes from `offset` on, as far as they fit in `room`. UCX 1.20 says "all the rest" by the largest room
// that there is.
inline datatype::PackedRange range_within(std::size_t offset, std::size_t room, std::int64_t size) {
  const std::size_t end = static_cast<std::size_t>(size), from = std::min(offset, end);
  return {static_cast<std::int64_t>(from), static_cast<std::int64_t>(from + std::min(room, end - from))};
}

// Packs or unpacks the packed bytes of `range`, the first of which stands at `packed`. Returns the ns that it took, 0
// where they were not taken: they are if `timed`, and for a sample.
template <bool unpack>
std::int64_t move_fragment(const MessagePart& message, std::byte* packed, datatype::PackedRange range, bool timed);

}  // namespace marshal
