#include "messages/message_fragments.h"

#include <algorithm>
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

bool can_be_cut(const SharedLayout& layout, std::int64_t element) {
  constexpr std::int64_t least_fragment = 512;  // UCX's are larger by far
  if (element != 0) return true;
  std::int64_t longest = 0;
  const auto look = [&](const auto& self, const datatype::Pieces& pieces) -> void {
    for (const datatype::Piece& piece : pieces)
      if (piece.body.empty())
        longest = std::max(longest, piece.length);
      else
        self(self, piece.body);
  };
  look(look, layout.plan.pieces());
  return longest <= least_fragment;
}

std::int64_t fragment_end(const SharedLayout& layout, std::int64_t element, std::int64_t from, std::int64_t to,
                          std::int64_t size) {
  if (to >= size) return size;
  if (element > 0) return to - to % element > from ? to - to % element : to;
  const std::int64_t instance = layout.plan.size(), within = to % instance;
  const datatype::PackedBlock block = layout.blocks().find(within);
  const std::int64_t end = to - (within - block.begin);
  return end > from ? end : to;
}

}  // namespace marshal
