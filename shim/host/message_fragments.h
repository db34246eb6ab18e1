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
inline bool is_sampled(std::uint64_t fragments_before, std::int64_t bytes) {
  return bytes >= always_timed_fragment || fragments_before % sampled_fragments == sampled_fragments - 1;
}

template <bool unpack>
std::int64_t move_and_time(const MessagePart& message, std::byte* packed, datatype::PackedRange range);
template <bool unpack>
void move_and_learn(const MessagePart& message, std::byte* packed, datatype::PackedRange range);

// The packed bytes of a message mostly lie in memory that another core had last. There, short stores wait for one line
// after the other, and so do loads. So fragments are packed part by part into memory of this core, and each part is
// copied in one go, which takes whole lines; before short blocks are unpacked, the lines of a part are asked for. On
// two cores of an EPYC this took a quarter to a half off the time of messages of 4 to 128 KiB; between threads of one
// core it makes no difference. Transposes need longer parts than that.
inline constexpr std::int64_t part_bytes = 8192, line = 64;
inline constexpr std::int64_t longest_block_in_parts = 4096;  // the copy of a longer one takes whole lines itself
inline constexpr std::int64_t longest_block_asked_for = 512;  // for longer ones the processor reads ahead in time

// `program` moves so many instances, or is null where the plan has to say.
void pack_in_parts(const datatype::Program* program, const MessagePart& message, std::byte* packed,
                   datatype::PackedRange range);
void unpack_in_parts(const datatype::Program* program, const MessagePart& message, std::byte* packed,
                     datatype::PackedRange range);

// Small messages cost little else: what most of them need stands here, and few instructions are around the program.
template <bool unpack>
[[gnu::always_inline]] inline void move_part(const datatype::Program* program, const MessagePart& m, std::byte* packed,
                                             datatype::PackedRange range) {
  if (program == nullptr) [[unlikely]]
    return move_and_learn<unpack>(m, packed, range);
  const bool whole = range.from == 0 && range.to == m.size;
  if constexpr (unpack) {
    if (whole)
      datatype::run_unpack(*program, m.count, m.user, packed);
    else
      datatype::run_unpack_range(*program, m.count, m.user, packed, range);
  } else {
    if (whole)
      datatype::run_pack(*program, m.count, m.user, packed);
    else
      datatype::run_pack_range(*program, m.count, m.user, packed, range);
  }
}

inline void ask_for_lines(const std::byte* at, std::int64_t bytes) {
  for (std::int64_t i = 0; i < bytes; i += line) __builtin_prefetch(at + i);
}

template <bool unpack>
[[gnu::always_inline]] inline void move(const MessagePart& m, std::byte* packed, datatype::PackedRange range) {
  const CopiesForHost copies;
  const datatype::Program* const program = m.layout->plan.settled_program(m.count);
  if (program != nullptr && program->transposes) return move_part<unpack>(program, m, packed, range);
  if (!unpack && m.layout->mean_block <= longest_block_in_parts) return pack_in_parts(program, m, packed, range);
  if (unpack && m.layout->mean_block <= longest_block_asked_for) {
    if (range.to - range.from > part_bytes) return unpack_in_parts(program, m, packed, range);
    ask_for_lines(packed, range.to - range.from);
  }
  move_part<unpack>(program, m, packed, range);
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
  if (timed || detail::is_sampled(before, bytes)) [[unlikely]]
    return detail::move_and_time<unpack>(m, packed, range);
  detail::move<unpack>(m, packed, range);
  return 0;
}

// Packs a message that goes as one fragment into memory of this process alone.
void pack_whole_message(const MessagePart& m, std::byte* packed);

}  // namespace marshal
