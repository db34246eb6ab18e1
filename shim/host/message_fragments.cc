#include "host/message_fragments.h"

#include <chrono>
#include <cstring>

#include "base/attempt.h"
#include "datatype/reference_copy.h"

namespace marshal {
namespace detail {

// The plan may search for a better program.
template <bool unpack>
void move_and_learn(const MessagePart& m, std::byte* packed, datatype::PackedRange range) {
  const datatype::Plan& plan = m.layout->plan;
  const bool moved = attempt([&] {
    if constexpr (unpack)
      plan.unpack_range(m.count, m.user, packed, range);
    else
      plan.pack_range(m.count, m.user, packed, range);
  });
  if (moved) return;
  // No memory for a better program: block by block needs none.
  if constexpr (unpack)
    datatype::reference_unpack(plan.pieces(), plan.extent(), m.count, m.user, packed, range);
  else
    datatype::reference_pack(plan.pieces(), plan.extent(), m.count, m.user, packed, range);
}
template void move_and_learn<false>(const MessagePart&, std::byte*, datatype::PackedRange);
template void move_and_learn<true>(const MessagePart&, std::byte*, datatype::PackedRange);

void pack_in_parts(const datatype::Program* program, const MessagePart& m, std::byte* packed,
                   datatype::PackedRange range) {
  alignas(line) std::byte part[part_bytes];
  for (std::int64_t from = range.from, to; from < range.to; from = to) {
    to = std::min(from + part_bytes, range.to);
    move_part<false>(program, m, part, {from, to});
    std::memcpy(packed + (from - range.from), part, static_cast<std::size_t>(to - from));
  }
}

void unpack_in_parts(const datatype::Program* program, const MessagePart& m, std::byte* packed,
                     datatype::PackedRange range) {
  for (std::int64_t from = range.from, to; from < range.to; from = to) {
    to = std::min(from + part_bytes, range.to);
    std::byte* const part = packed + (from - range.from);
    ask_for_lines(part, to - from);
    move_part<true>(program, m, part, {from, to});
  }
}

namespace {

using Clock = std::chrono::steady_clock;

std::int64_t count_time(MessageCalls& calls, std::int64_t bytes, Clock::time_point begin) {
  const std::int64_t ns = std::chrono::nanoseconds(Clock::now() - begin).count();
  calls.add_timed(bytes, ns);
  return ns;
}

}  // namespace

template <bool unpack>
std::int64_t move_and_time(const MessagePart& m, std::byte* packed, datatype::PackedRange range) {
  const auto begin = Clock::now();
  move<unpack>(m, packed, range);
  return count_time((unpack ? m.layout->received : m.layout->sent).by_engine, range.to - range.from, begin);
}
template std::int64_t move_and_time<false>(const MessagePart&, std::byte*, datatype::PackedRange);
template std::int64_t move_and_time<true>(const MessagePart&, std::byte*, datatype::PackedRange);

}  // namespace detail

void pack_whole_message(const MessagePart& m, std::byte* packed) {
  MessageCalls& calls = m.layout->sent.by_engine;
  const bool timed = detail::is_sampled(calls.calls.load(std::memory_order_relaxed), m.size);
  calls.add_fragment(m.size, true);
  const CopiesForHost copies;
  const auto begin = timed ? detail::Clock::now() : detail::Clock::time_point();
  detail::move_part<false>(m.layout->plan.settled_program(m.count), m, packed, {0, m.size});
  if (timed) detail::count_time(calls, m.size, begin);
}

}  // namespace marshal
