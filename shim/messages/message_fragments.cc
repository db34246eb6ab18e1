#include "messages/message_fragments.h"

#include <algorithm>

namespace marshal {

template <bool unpack>
std::int64_t detail::move_and_time(const MessagePart& m, std::byte* packed, datatype::PackedRange range) {
  const std::int64_t ns = ns_of([&] { move<unpack>(m, packed, range); });
  m.layout->messages(unpack).by_engine.add_timed(range.to - range.from, ns);
  return ns;
}
template std::int64_t detail::move_and_time<false>(const MessagePart&, std::byte*, datatype::PackedRange);
template std::int64_t detail::move_and_time<true>(const MessagePart&, std::byte*, datatype::PackedRange);

template <bool unpack>
void move_whole_message(const MessagePart& m, std::byte* packed) {
  MessageCalls& calls = m.layout->messages(unpack).by_engine;
  const bool is_timed = detail::is_sampled(calls.calls, m.size);
  calls.add_fragment(m.size, true);
  const CopiesForHost copies;
  const auto run = [&] {
    datatype::move_range<unpack>(m.layout->plan.settled_program(m.count), instances_of(m), packed, {0, m.size});
  };
  if (is_timed)
    calls.add_timed(m.size, ns_of(run));
  else
    run();
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
