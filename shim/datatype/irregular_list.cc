// Lists of blocks in which nothing repeats: particles, elements of a mesh. Looking for loops in them takes far longer
// than copying them, and only finds loops that arose by chance.
#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "datatype/folding.h"
#include "datatype/layout.h"
#include "datatype/walk.h"

namespace marshal::datatype {
namespace {

constexpr std::size_t shortest = 24, short_list = 96;

// A stretch is so many blocks with the distances to the next. Where two distances alternate at random, two stretches
// are equal by chance with a probability of 1 in 65536; in short lists, 1 in 256.
constexpr std::size_t short_stretch = 8, stretch = 16;

// For each block except the last, a number made of its length and its distance to the next block. Empty if a piece is a
// loop.
std::vector<std::uint64_t> steps_between_blocks(const Pieces& sequence) {
  std::vector<std::uint64_t> steps;
  if (std::ranges::any_of(sequence, &Piece::is_loop)) return steps;
  steps.resize(sequence.size() - 1);
  const Piece* block = sequence.data();
  for (std::uint64_t& step : steps) {
    step = static_cast<std::uint64_t>(block[1].disp - block->disp) * 0x9e3779b97f4a7c15u +
           static_cast<std::uint64_t>(block->length);
    ++block;
  }
  return steps;
}

// A hash of each stretch, made from the one before it (fingerprints, section 2).
std::vector<std::uint64_t> hashes_of_stretches(const std::vector<std::uint64_t>& steps, std::size_t steps_each) {
  constexpr std::uint64_t base = 0xd6e8feb86659fd93u;
  std::uint64_t leaving = 1, hash = 0;
  for (std::size_t i = 0; i < steps_each; ++i) {
    hash = hash * base + steps[i];
    leaving *= base;
  }
  std::vector<std::uint64_t> hashes(steps.size() - steps_each + 1);
  const std::uint64_t *first = steps.data(), *next = first + steps_each;
  for (std::uint64_t& place : hashes) {
    place = hash;
    if (next != steps.data() + steps.size()) hash = hash * base + *next++ - leaving * *first++;
  }
  return hashes;
}

}  // namespace

bool is_irregular_list(const Pieces& sequence) {
  if (sequence.size() < shortest) return false;
  const std::vector<std::uint64_t> steps = steps_between_blocks(sequence);
  if (steps.empty()) return false;
  const auto hashes = hashes_of_stretches(steps, sequence.size() < short_list ? short_stretch : stretch);
  std::array<std::uint64_t, 8> samples;
  std::bitset<4096> may_be_sampled;
  for (std::size_t s = 0; s < samples.size(); ++s) {
    samples[s] = hashes[s * (hashes.size() - 1) / (samples.size() - 1)];
    may_be_sampled.set(samples[s] >> 52);
  }
  std::sort(samples.begin(), samples.end());
  if (std::adjacent_find(samples.begin(), samples.end()) != samples.end()) return false;
  std::size_t found = 0;
  for (const std::uint64_t hash : hashes)
    if (may_be_sampled[hash >> 52]) found += std::binary_search(samples.begin(), samples.end(), hash) ? 1 : 0;
  return found == samples.size();
}

// One form for one list of blocks. Canonicalisation meets the blocks of a tree in another order than those of a list.
// If repeats overlap or interleave, it can end in another, equally good form. So the form of the list is the one that
// counts.
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
