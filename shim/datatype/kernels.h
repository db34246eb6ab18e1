// The inner loops of packing, for one instruction set, chosen once a plan.
//
// Rows and tiles are copied the same way in both directions: to unpack, exchange destination and source. No kernel
// reads a byte outside the given blocks or writes one, except that masked vector loads may span, not read, the gaps
// between. Sources and destinations never overlap. Displacements are bytes. All of it is thread safe: no state.
#ifndef MARSHAL_DATATYPE_KERNELS_H
#define MARSHAL_DATATYPE_KERNELS_H

#include <cstddef>
#include <cstdint>

namespace marshal::datatype {

// `count` blocks, so many bytes apart in the destination and in the source.
struct Rows {
  std::int64_t count, to, from;
};

// Blocks of `length` bytes, `inner` within `outer`.
using CopyRows = void (*)(std::byte* to, const std::byte* from, const Rows& inner, const Rows& outer,
                          std::int64_t length);

// Blocks of `length` bytes at listed displacements, to or from consecutive bytes.
template <class Offset>
using Gather = void (*)(std::byte* packed, const std::byte* user, const Offset* offsets, std::int64_t count,
                        std::int64_t length);
template <class Offset>
using Scatter = void (*)(std::byte* user, const std::byte* packed, const Offset* offsets, std::int64_t count,
                         std::int64_t length);

// The same with a length for each block.
struct Ragged {
  const std::int32_t* offsets;
  const std::int32_t* lengths;
  std::int64_t count;
};
using GatherRagged = void (*)(std::byte* packed, const std::byte* user, const Ragged& blocks);
using ScatterRagged = void (*)(std::byte* user, const std::byte* packed, const Ragged& blocks);

// Elements of 4, 8 or 16 bytes: element (i, j) goes from `from + j * from_row + i * size` to `to + i * to_row + j *
// size`.
using Transpose = void (*)(std::byte* to, std::int64_t to_row, const std::byte* from, std::int64_t from_row,
                           std::int64_t i_count, std::int64_t j_count);

// One 64-byte vector of the destination, made of `reads` vectors of the source, bytes permuted.
struct ShuffleRead {
  std::uint64_t load;   // bytes of the source vector that are read
  std::uint64_t lanes;  // bytes of the destination that come from it
  std::int32_t from;    // displacement of the source vector in its unit
  std::uint8_t index[64];
};
struct ShuffleWrite {
  std::uint64_t store;  // bytes that are written
  std::int32_t to;      // displacement in the unit
  std::int32_t reads;
};
struct Shuffle {
  const ShuffleWrite* writes;
  const ShuffleRead* reads;
  std::int32_t write_count;
};
// `units.count` times the program, its source and destination moving on by the strides.
using CopyShuffled = void (*)(std::byte* to, const std::byte* from, const Shuffle& program, const Rows& units);

using CopyContiguous = void (*)(std::byte* to, const std::byte* from, std::int64_t length);

struct Kernels {
  const char* name;  // of the instruction set
  CopyRows (*rows)(std::int64_t length);
  Gather<std::int32_t> (*gather32)(std::int64_t length);
  Scatter<std::int32_t> (*scatter32)(std::int64_t length);
  Gather<std::int64_t> (*gather64)(std::int64_t length);
  Scatter<std::int64_t> (*scatter64)(std::int64_t length);
  GatherRagged gather_ragged;
  ScatterRagged scatter_ragged;
  Transpose transpose4, transpose8, transpose16;
  CopyShuffled shuffled;  // null where there are no byte permutations of whole vectors
  CopyContiguous stream;  // past the caches
};

extern const Kernels generic_kernels;
const Kernels* avx2_kernels();    // null if this processor has not got it
const Kernels* avx512_kernels();  // needs F, BW, VL, DQ, VBMI

// The best of this processor.
const Kernels& best_kernels();

}  // namespace marshal::datatype

#endif
