#include "host/message_fragments.h"

#include <chrono>
#include <type_traits>

#include "base/attempt.h"
#include "datatype/reference_copy.h"
#include "host/host_order.h"

namespace marshal {
namespace {

// One of so many is timed. Not the first, which may touch its memory for the first time: what it takes says nothing of
// the others.
constexpr std::uint64_t sampled = 64;
constexpr std::int64_t always_timed = 1024 * 1024;

template <bool unpack>
void move(const MessagePart& m, std::byte* packed, datatype::PackedRange range) {
  const datatype::Plan& plan = m.layout.plan;
  const CopiesForHost copies;
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

}  // namespace

template <bool unpack>
std::int64_t move_fragment(const MessagePart& m, std::byte* packed, datatype::PackedRange range, bool timed) {
  using Clock = std::chrono::steady_clock;
  MessageCalls& calls = (unpack ? m.layout.received : m.layout.sent).by_engine;
  const std::int64_t bytes = range.to - range.from;
  const bool looked_at =
      timed || bytes >= always_timed || calls.calls.load(std::memory_order_relaxed) % sampled == sampled - 1;
  calls.add_fragment(bytes, range.from == 0);
  if (!looked_at) {
    move<unpack>(m, packed, range);
    return 0;
  }
  const auto begin = Clock::now();
  move<unpack>(m, packed, range);
  const std::int64_t ns = std::chrono::nanoseconds(Clock::now() - begin).count();
  PackCalls::add(calls.timed_bytes, static_cast<std::uint64_t>(bytes));
  PackCalls::add(calls.timed_ns, static_cast<std::uint64_t>(ns));
  return ns;
}

template std::int64_t move_fragment<false>(const MessagePart&, std::byte*, datatype::PackedRange, bool);
template std::int64_t move_fragment<true>(const MessagePart&, std::byte*, datatype::PackedRange, bool);

}  // namespace marshal
