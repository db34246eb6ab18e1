#include "datatype/shuffle_program.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>

#include "datatype/walk.h"

namespace marshal::datatype {
namespace {

constexpr std::int64_t vector_bytes = 64;
constexpr std::size_t most_reads = 32;      // more do not pay, and the program should stay in the cache
constexpr std::int64_t most_packed = 1024;  // bytes of a unit
constexpr std::int64_t most_spanned = 1 << 16;

std::uint64_t bit(std::int64_t i) { return std::uint64_t{1} << i; }

// Bytes from the first to the last one needed: within them the vector cannot reach into an unmapped page.
std::uint64_t ones(std::int64_t count) { return count == 64 ? ~std::uint64_t{0} : bit(count) - 1; }

}  // namespace

double ShuffleProgram::cycles() const {
  // As measured on Zen 4, where masked stores are slow and most whole ones cross a cache line. Few permutations stay in
  // registers.
  const bool in_registers = reads.size() <= 4 && reads.size() <= 2 * writes.size();
  double c = static_cast<double>(writes.size()) * (!whole_writes ? 8.0 : in_registers ? 2.0 : 3.0);
  for (const auto& r : reads) c += (r.from[0] == r.from[1] ? 2.0 : 5.0) * (in_registers ? 0.6 : 1.0);
  return c;
}

ShuffleProgram shuffle_of(std::vector<ByteMove> moves, std::int64_t to_stride, std::int64_t from_stride, bool dense) {
  ShuffleProgram program;
  program.whole_writes = dense;
  const auto by_to = [](const ByteMove& a, const ByteMove& b) { return a.to < b.to; };
  const auto by_from = [](const ByteMove& a, const ByteMove& b) { return a.from < b.from; };
  const std::int64_t to_end = std::max_element(moves.begin(), moves.end(), by_to)->to + 1;
  const std::int64_t from_end = std::max_element(moves.begin(), moves.end(), by_from)->from + 1;
  std::sort(moves.begin(), moves.end(), by_to);
  std::int64_t past_from = 0, past_to = 0;  // how far whole vectors reach beyond the unit
  for (std::size_t i = 0; i < moves.size();) {
    ShuffleWrite write{0, static_cast<std::int32_t>(moves[i].to), 0};
    std::size_t end = i;
    while (end < moves.size() && moves[end].to - write.to < vector_bytes)
      write.store |= bit(moves[end++].to - write.to);
    if (dense) past_to = std::max(past_to, write.to + vector_bytes - to_end);
    std::sort(moves.begin() + static_cast<std::ptrdiff_t>(i), moves.begin() + static_cast<std::ptrdiff_t>(end),
              by_from);
    while (i < end) {
      ShuffleRead read{};
      for (int half = 0; half < 2; ++half) {
        if (half == 1) read.from[1] = read.from[0];
        if (i == end) break;
        read.from[half] = static_cast<std::int32_t>(moves[i].from);
        std::int64_t last = 0;
        for (; i < end && moves[i].from - read.from[half] < vector_bytes; ++i) {
          const std::int64_t lane = moves[i].to - write.to;
          last = moves[i].from - read.from[half];
          read.lanes |= bit(lane);
          read.index[lane] = static_cast<std::uint8_t>(last + half * vector_bytes);
        }
        read.load[half] = ones(last + 1);
        past_from = std::max(past_from, read.from[half] + vector_bytes - from_end);
      }
      program.reads.push_back(read);
      ++write.reads;
    }
    program.writes.push_back(write);
  }
  if (from_stride <= 0 || (dense && to_stride <= 0)) {
    program.careful_units = std::numeric_limits<std::int64_t>::max();
  } else {
    program.careful_units = (past_from + from_stride - 1) / from_stride;
    if (dense) program.careful_units = std::max(program.careful_units, (past_to + to_stride - 1) / to_stride);
  }
  return program;
}

bool may_shuffle(const Pieces& body, std::int64_t stride) {
  const std::int64_t size = packed_size(body);
  if (size == 0 || size > most_packed) return false;
  const Span span = touched(body);
  const std::int64_t dense = size + block_count(body) * vector_bytes;
  return span.end - span.first <= std::min(dense, most_spanned) && std::abs(stride) <= dense;
}

ShufflePair cheapest_shuffle(const Pieces& body, std::int64_t stride, std::int64_t most_instances,
                             double cycles_per_iteration) {
  ShufflePair best;
  const std::int64_t size = packed_size(body);
  const Span span = touched(body);
  if (size == 0 || size > most_packed || span.end - span.first > most_spanned) return best;
  std::vector<std::int64_t> bytes;
  for_each_block(body, 0, 0, {0, size}, [&](std::int64_t disp, std::int64_t, std::int64_t length) {
    for (std::int64_t i = 0; i < length; ++i) bytes.push_back(disp + i);
  });
  double pack_cycles = cycles_per_iteration, unpack_cycles = cycles_per_iteration;
  const auto take = [](ShuffleProgram found, std::int64_t instances, double& cycles, ShuffleProgram& program,
                       std::int64_t& program_instances) {
    const double now = found.cycles() / static_cast<double>(instances);
    if (found.reads.size() > most_reads || now >= cycles) return;
    cycles = now;
    program = std::move(found);
    program_instances = instances;
  };
  std::int64_t previous = 0;
  for (const std::int64_t wanted : {vector_bytes, 2 * vector_bytes, 4 * vector_bytes, vector_bytes * size}) {
    const std::int64_t instances = (wanted + size - 1) / size;  // a multiple of whole vectors at last
    if (instances == previous || instances > most_instances || instances * size > most_packed) continue;
    if (instances * std::abs(stride) > most_spanned) continue;
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
    const std::int64_t next = seen.front() + instances * stride;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const std::int64_t gap = (i + 1 < seen.size() ? seen[i + 1] : next) - seen[i];
      if (gap <= 0 || gap > vector_bytes) return best;
    }
    const std::int64_t unit = instances * size;
    take(shuffle_of(std::move(pack), unit, instances * stride, true), instances, pack_cycles, best.pack,
         best.pack_instances);
    take(shuffle_of(std::move(unpack), instances * stride, unit, false), instances, unpack_cycles, best.unpack,
         best.unpack_instances);
  }
  return best;
}

}  // namespace marshal::datatype
