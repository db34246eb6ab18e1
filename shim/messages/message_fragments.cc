#include "messages/message_fragments.h"

#include <chrono>

namespace marshal {
namespace detail {
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
  return count_time(m.layout->messages(unpack).by_engine, range.to - range.from, begin);
}
template std::int64_t move_and_time<false>(const MessagePart&, std::byte*, datatype::PackedRange);
template std::int64_t move_and_time<true>(const MessagePart&, std::byte*, datatype::PackedRange);

}  // namespace detail

template <bool unpack>
void move_whole_message(const MessagePart& m, std::byte* packed) {
  MessageCalls& calls = m.layout->messages(unpack).by_engine;
  const bool timed = detail::is_sampled(calls.calls, m.size);
  calls.add_fragment(m.size, true);
  const CopiesForHost copies;
  const auto begin = timed ? detail::Clock::now() : detail::Clock::time_point();
  datatype::move_range<unpack>(m.layout->plan.settled_program(m.count), instances_of(m), packed, {0, m.size});
  if (timed) detail::count_time(calls, m.size, begin);
}
template void move_whole_message<false>(const MessagePart&, std::byte*);
template void move_whole_message<true>(const MessagePart&, std::byte*);

}  // namespace marshal
