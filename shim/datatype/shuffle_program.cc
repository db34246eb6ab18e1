#include "datatype/shuffle_program.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "datatype/walk.h"

namespace marshal::datatype {
namespace {

constexpr std::int64_t vector_bytes = 64;
constexpr std::size_t most_reads = 32;      // more than that do not pay, and the program should stay in the cache
constexpr std::int64_t most_packed = 1024;  // bytes of a unit
constexpr std::int64_t most_spanned = 1 << 16;

std::uint64_t bit(std::int64_t i) { return std::uint64_t{1} << i; }

// Bytes from the first to the last one needed: inside them the vector cannot reach into a page that is not there.
std::uint64_t ones(std::int64_t count) { return count == 64 ? ~std::uint64_t{0} : bit(count) - 1; }

}  // namespace

double ShuffleProgram::cycles() const {
  double c = 0;
  for (const auto& w : writes) c += w.store == ~std::uint64_t{0} ? 1.5 : 2.0;
  return c + 1.1 * static_cast<double>(reads.size());
}

ShuffleProgram shuffle_of(std::vector<ByteMove> moves) {
  ShuffleProgram program;
  std::sort(moves.begin(), moves.end(), [](const ByteMove& a, const ByteMove& b) { return a.to < b.to; });
  for (std::size_t i = 0; i < moves.size();) {
    ShuffleWrite write{0, static_cast<std::int32_t>(moves[i].to), 0};
    std::size_t end = i;
    while (end < moves.size() && moves[end].to - write.to < vector_bytes)
      write.store |= bit(moves[end++].to - write.to);
    std::sort(moves.begin() + static_cast<std::ptrdiff_t>(i), moves.begin() + static_cast<std::ptrdiff_t>(end),
              [](const ByteMove& a, const ByteMove& b) { return a.from < b.from; });
    while (i < end) {
      ShuffleRead read{};
      read.from = static_cast<std::int32_t>(moves[i].from);
      std::int64_t last = 0;
      for (; i < end && moves[i].from - read.from < vector_bytes; ++i) {
        const std::int64_t lane = moves[i].to - write.to;
        last = moves[i].from - read.from;
        read.lanes |= bit(lane);
        read.index[lane] = static_cast<std::uint8_t>(last);
      }
      read.load = ones(last + 1);
      program.reads.push_back(read);
      ++write.reads;
    }
    program.writes.push_back(write);
  }
  return program;
}

std::optional<ShufflePair> cheapest_shuffle(const Pieces& body, std::int64_t stride, std::int64_t most_instances,
                                            double cycles_per_iteration) {
  const std::int64_t size = packed_size(body);
  if (size == 0 || size > most_packed) return std::nullopt;
  std::vector<std::int64_t> bytes;
  for_each_block(body, 0, 0, {0, size}, [&](std::int64_t disp, std::int64_t, std::int64_t length) {
    for (std::int64_t i = 0; i < length; ++i) bytes.push_back(disp + i);
  });
  std::optional<ShufflePair> best;
  std::int64_t previous = 0;
  for (const std::int64_t wanted : {vector_bytes, 2 * vector_bytes, 4 * vector_bytes, vector_bytes * size}) {
    const std::int64_t instances = (wanted + size - 1) / size;  // a multiple of whole vectors at last
    if (instances == previous || instances > most_instances || instances * size > most_packed) continue;
    if (instances * std::abs(stride) > most_spanned || touched(body).end - touched(body).first > most_spanned) continue;
    previous = instances;
    std::vector<ByteMove> pack, unpack;
    std::vector<std::int64_t> seen;
    for (std::int64_t k = 0; k < instances; ++k) {
      for (std::size_t i = 0; i < bytes.size(); ++i) {
        const std::int64_t user = bytes[i] + k * stride, packed = k * size + static_cast<std::int64_t>(i);
        pack.push_back({packed, user});
        unpack.push_back({user, packed});
        seen.push_back(user);
      }
    }
    std::sort(seen.begin(), seen.end());
    if (std::adjacent_find(seen.begin(), seen.end()) != seen.end()) return std::nullopt;
    ShufflePair pair{instances, shuffle_of(std::move(pack)), shuffle_of(std::move(unpack))};
    if (pair.pack.reads.size() > most_reads || pair.unpack.reads.size() > most_reads) break;
    const double cycles = pair.pack.cycles() / static_cast<double>(instances);
    if (cycles >= cycles_per_iteration) continue;
    cycles_per_iteration = cycles;
    best = std::move(pair);
  }
  return best;
}

}  // namespace marshal::datatype
