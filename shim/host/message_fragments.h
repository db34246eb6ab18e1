// Moves fragments of messages by the engine, and counts them. No call of MPI, so it may run inside the host's own
// callbacks, on any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "host/host_order.h"
#include "host/layouts.h"

namespace marshal {

// A message, or the part of it that a process holds: `count` instances at `user`, so many packed bytes in all.
struct MessagePart {
  const SharedLayout* layout;
  std::int64_t count;
  std::byte* user;
  std::int64_t size;
};

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

template <bool unpack>
std::int64_t move_and_time(const MessagePart& message, std::byte* packed, datatype::PackedRange range);
template <bool unpack>
void move_and_learn(const MessagePart& message, std::byte* packed, datatype::PackedRange range);

// The packed bytes of a short message often lie in memory that another core had last. There, stores of a few bytes wait
// for one line after the other, and so do loads. So short blocks are packed here first and copied in one go; before
// they are unpacked, all their lines are asked for. On two cores of an EPYC each of the two alone took a tenth off the
// time of messages of 256 B to 4 KiB; between threads of one core, and for longer fragments, it makes no difference.
inline constexpr std::int64_t staged = 4096, least_line = 64;
void pack_staged(const datatype::Program& program, const MessagePart& message, std::byte* packed,
                 datatype::PackedRange range);

// Small messages cost little else: what most of them need stands here, and few instructions are around the program.
template <bool unpack>
[[gnu::always_inline]] inline void move(const MessagePart& m, std::byte* packed, datatype::PackedRange range) {
  const CopiesForHost copies;
  const datatype::Program* const program = m.layout->plan.settled_program(m.count);
  if (program == nullptr) [[unlikely]]
    return move_and_learn<unpack>(m, packed, range);
  const bool whole = range.from == 0 && range.to == m.size, is_short = range.to - range.from <= staged;
  if constexpr (unpack) {
    if (is_short)
      for (std::int64_t i = 0; i < range.to - range.from; i += least_line) __builtin_prefetch(packed + i);
    if (whole)
      datatype::run_unpack(*program, m.count, m.user, packed);
    else
      datatype::run_unpack_range(*program, m.count, m.user, packed, range);
  } else {
    if (is_short && m.layout->mean_block < least_line)
      pack_staged(*program, m, packed, range);
    else if (whole)
      datatype::run_pack(*program, m.count, m.user, packed);
    else
      datatype::run_pack_range(*program, m.count, m.user, packed, range);
  }
}

}  // namespace detail

// Packs or unpacks the packed bytes of `range`, the first of which stands at `packed`. Returns the ns that it took, 0
// where they were not taken: they are if `timed`, and for a sample.
template <bool unpack>
[[gnu::always_inline]] inline std::int64_t move_fragment(const MessagePart& m, std::byte* packed,
                                                         datatype::PackedRange range, bool timed) {
  MessageCalls& calls = (unpack ? m.layout->received : m.layout->sent).by_engine;
  const std::int64_t bytes = range.to - range.from;
  const std::uint64_t before = calls.calls.load(std::memory_order_relaxed);
  calls.add_fragment(bytes, range.from == 0);
  if (timed || bytes >= detail::always_timed_fragment ||
      before % detail::sampled_fragments == detail::sampled_fragments - 1) [[unlikely]]
    return detail::move_and_time<unpack>(m, packed, range);
  detail::move<unpack>(m, packed, range);
  return 0;
}

}  // namespace marshal
