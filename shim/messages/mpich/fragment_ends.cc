#include "messages/mpich/fragment_ends.h"

#include <algorithm>

namespace marshal {

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
