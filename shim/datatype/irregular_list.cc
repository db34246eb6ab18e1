// Lists of blocks in which nothing repeats: particles, elements of a mesh. Looking for loops in them takes far longer
// than copying them, and only finds loops that arose by chance.
#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "datatype/folding.h"

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

}  // namespace marshal::datatype
