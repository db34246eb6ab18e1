// Moves fragments of messages by the engine, and counts them. No call of MPI, so it may run inside the host's own
// callbacks, on any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "datatype/fragments.h"
#include "host/host_order.h"
#include "types/layouts.h"

namespace marshal {

// A message, or the part of it that a process holds: `count` instances at `user`, so many packed bytes in all.
struct MessagePart {
  const SharedLayout* layout;
  std::int64_t count;
  std::byte* user;
  std::int64_t size;
};
inline datatype::Instances instances_of(const MessagePart& m) { return {m.layout->plan, m.count, m.user, m.size}; }

// The packed bytes from `offset` on, as far as they fit in `room`. UCX 1.20 says "all the rest" by the largest room
// that there is.
inline datatype::PackedRange range_within(std::size_t offset, std::size_t room, std::int64_t size) {
  const std::size_t end = static_cast<std::size_t>(size), from = std::min(offset, end);
  return {static_cast<std::int64_t>(from), static_cast<std::int64_t>(from + std::min(room, end - from))};
}

namespace detail {

// One of so many is timed. Not the first, which may touch its memory for the first time: what it takes says nothing of
// the others.
inline constexpr std::uint64_t sampled_fragments = 64;
inline constexpr std::int64_t always_timed_fragment = 1024 * 1024;  // bytes
inline bool is_sampled(std::uint64_t fragments_before, std::int64_t bytes) {
  return bytes >= always_timed_fragment || fragments_before % sampled_fragments == sampled_fragments - 1;
}

template <bool unpack>
std::int64_t move_and_time(const MessagePart& message, std::byte* packed, datatype::PackedRange range);

template <bool unpack>
[[gnu::always_inline]] inline void move(const MessagePart& m, std::byte* packed, datatype::PackedRange range) {
  const CopiesForHost copies;
  datatype::move_fragment<unpack>(instances_of(m), packed, range);
}

}  // namespace detail

// Packs or unpacks the packed bytes of `range`, the first of which stands at `packed`. Returns the ns that it took, 0
// where they were not taken: they are if `timed`, and for a sample.
template <bool unpack>
[[gnu::always_inline]] inline std::int64_t move_fragment(const MessagePart& m, std::byte* packed,
                                                         datatype::PackedRange range, bool timed) {
  MessageCalls& calls = m.layout->messages(unpack).by_engine;
  const std::int64_t bytes = range.to - range.from;
  const std::uint64_t before = calls.calls;
  calls.add_fragment(bytes, range.from == 0);
  if (timed || detail::is_sampled(before, bytes)) [[unlikely]]
    return detail::move_and_time<unpack>(m, packed, range);
  detail::move<unpack>(m, packed, range);
  return 0;
}

// A message that goes as one fragment, packed into or unpacked from memory that no other core has had lately.
template <bool unpack>
void move_whole_message(const MessagePart& m, std::byte* packed);

// True if every fragment that UCX may ask for can end between elements: receivers without Marshal cannot take a part of
// one. `element`: bytes of each, 0 where they differ.
bool can_be_cut(const SharedLayout& layout, std::int64_t element);

// Where a fragment that begins at packed byte `from`, and has room until `to`, ends at best: between elements.
std::int64_t fragment_end(const SharedLayout& layout, std::int64_t element, std::int64_t from, std::int64_t to,
                          std::int64_t size);

}  // namespace marshal
