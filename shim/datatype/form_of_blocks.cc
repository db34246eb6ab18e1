// One form for one list of blocks. Canonicalisation meets the blocks of a tree in another order than those of a list.
// If repeats overlap or interleave, it can end in another, equally good form. So the form of the list is the one that
// counts.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "datatype/layout.h"
#include "datatype/walk.h"

namespace marshal::datatype {

Pieces blocks_of(const Pieces& pieces) {
  Pieces blocks;
  blocks.reserve(static_cast<std::size_t>(block_count(pieces)));
  for_each_block(pieces, 0, 0, {0, packed_size(pieces)}, [&](std::int64_t disp, std::int64_t, std::int64_t length) {
    blocks.push_back(Piece{disp, length, 1, 0, {}});
  });
  return blocks;
}

namespace {

// True if the blocks of nested loops over one block, as a list, fold to that nest. They do if each loop has three
// iterations or more, and no run goes on (or touches) where an iteration of a loop further out begins: neither a run of
// blocks nor one of inner loops.
bool nest_is_its_form(const Piece& nest) {
  std::vector<const Piece*> loops;  // outermost first
  for (const Piece* p = &nest;; p = &p->body.front()) {
    if (p->count < 3) return false;
    loops.push_back(p);
    if (p->body.size() > 1) return false;
    if (p->body.empty()) break;
  }
  std::int64_t end = loops.back()->length;  // of the last block so far, from the start of the first
  for (std::size_t j = loops.size(); j-- > 0;) {
    if (loops[j]->stride == end) return false;
    end += (loops[j]->count - 1) * loops[j]->stride;
    std::int64_t between = 0;  // loops further in, up to the one whose run would go on
    for (std::size_t i = j + 1; i < loops.size(); ++i) {
      if (loops[j]->stride == between + loops[i]->count * loops[i]->stride) return false;
      between += (loops[i]->count - 1) * loops[i]->stride;
    }
  }
  return true;
}

// Folding goes from the left and looks a few iterations ahead: any number of iterations folds to the form of a few.
bool loop_is_its_form(const Piece& loop) {
  const std::int64_t few = loop.body.size() > longest_short_period ? 12 : 6;
  if (loop.count <= few) return false;
  Pieces start{loop};
  start.front().count = few;
  return block_count(start) <= most_blocks_written_out && joined(blocks_of(start)) == start;
}

}  // namespace

Pieces form_of_blocks(Pieces pieces) {
  if (std::ranges::none_of(pieces, &Piece::is_loop)) return pieces;
  if (pieces.size() == 1 && (nest_is_its_form(pieces.front()) || loop_is_its_form(pieces.front()))) return pieces;
  if (block_count(pieces) > most_blocks_written_out) return pieces;
  return joined(blocks_of(pieces));
}

}  // namespace marshal::datatype
