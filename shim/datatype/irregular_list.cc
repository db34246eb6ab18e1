#include "datatype/irregular_list.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace marshal::datatype {
namespace {

constexpr std::size_t shortest = 24, short_list = 96;

// A stretch is so many blocks with the distances to the next. Where two distances alternate at random, two stretches
// are equal by chance with a probability of 1 in 65536; in short lists, 1 in 256.
constexpr std::size_t short_stretch = 8, stretch = 16;

// A block, and how far it is to the next one.
std::uint64_t step(const Piece& block, const Piece& next) {
  return static_cast<std::uint64_t>(next.disp - block.disp) * 0x9e3779b97f4a7c15u +
         static_cast<std::uint64_t>(block.length);
}

// A hash of each stretch, made from the one before it (fingerprints, section 2).
std::vector<std::uint64_t> hashes_of_stretches(const Pieces& blocks, std::size_t steps_each) {
  constexpr std::uint64_t base = 0xd6e8feb86659fd93u;
  std::uint64_t leaving = 1, hash = 0;
  for (std::size_t i = 0; i < steps_each; ++i) {
    hash = hash * base + step(blocks[i], blocks[i + 1]);
    leaving *= base;
  }
  std::vector<std::uint64_t> hashes;
  hashes.reserve(blocks.size() - steps_each);
  hashes.push_back(hash);
  for (std::size_t i = steps_each; i + 1 < blocks.size(); ++i) {
    hash = hash * base + step(blocks[i], blocks[i + 1]) -
           leaving * step(blocks[i - steps_each], blocks[i - steps_each + 1]);
    hashes.push_back(hash);
  }
  return hashes;
}

}  // namespace

bool is_irregular_list(const Pieces& sequence) {
  if (sequence.size() < shortest) return false;
  if (std::any_of(sequence.begin(), sequence.end(), [](const Piece& p) { return p.is_loop(); })) return false;
  const auto hashes = hashes_of_stretches(sequence, sequence.size() < short_list ? short_stretch : stretch);
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
