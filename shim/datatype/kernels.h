// The inner loops of packing, for one instruction set, chosen once a plan.
//
// Rows and tiles are copied the same way in both directions: to unpack, exchange destination and source. No kernel
// reads a byte outside the given blocks or writes one, except that masked vector loads may span, not read, the gaps
// between. Sources and destinations never overlap. Displacements are bytes. All of it is thread safe: no state.
#pragma once

#include <cstddef>
#include <cstdint>

namespace marshal::datatype {

// One block.
using Copy = void (*)(std::byte* to, const std::byte* from, std::int64_t length);

// `count` blocks, so many bytes apart in the destination and in the source.
struct Rows {
  std::int64_t count, to, from;
};

// Blocks of `length` bytes, `inner` within `outer`.
using CopyRows = void (*)(std::byte* to, const std::byte* from, const Rows& inner, const Rows& outer,
                          std::int64_t length);

// Blocks of `length` bytes at listed displacements, to or from consecutive bytes.
using Gather = void (*)(std::byte* packed, const std::byte* user, const std::int32_t* offsets, std::int64_t count,
                        std::int64_t length);
using Scatter = void (*)(std::byte* user, const std::byte* packed, const std::int32_t* offsets, std::int64_t count,
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
using TransposeFunction = void(std::byte* to, std::int64_t to_row, const std::byte* from, std::int64_t from_row,
                               std::int64_t i_count, std::int64_t j_count);
using Transpose = TransposeFunction*;

// Two to four blocks of one length, each at its own displacement in the user's memory, consecutive when packed, and
// `rows` of them: the fields of a struct in one pass.
struct FieldPlaces {
  std::int64_t user[4];
};
struct FieldCopies {
  void (*gather)(std::byte* packed, const std::byte* user, const FieldPlaces& places, const Rows& rows) = nullptr;
  void (*scatter)(std::byte* user, const std::byte* packed, const FieldPlaces& places, const Rows& rows) = nullptr;
};

// Blocks of `length` bytes at listed displacements on both sides.
using CopyPairs = void (*)(std::byte* to, const std::byte* from, const std::int32_t* to_offsets,
                           const std::int32_t* from_offsets, std::int64_t count, std::int64_t length);

// Two 64-byte vectors of the source, some of whose bytes go to one vector of the destination.
struct ShuffleRead {
  std::uint64_t load[2];   // bytes of each that are needed, and those before them
  std::uint64_t lanes;     // bytes of the destination that come from here
  std::int32_t from[2];    // displacements in the unit, equal if one vector is enough
  std::uint8_t index[64];  // for each byte of the destination the byte of the 128 read
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
  // How many of the last units must be done with masks, since whole vectors would reach past the buffers.
  std::int64_t careful_units;
  bool whole_writes;  // the next unit or write corrects bytes written too much
};
// `units.count` times the program, its source and destination moving on by the strides.
using CopyShuffled = void (*)(std::byte* to, const std::byte* from, const Shuffle& program, const Rows& units);

// The loops for blocks of one length.
struct BlockLoops {
  CopyRows rows;
  CopyRows far_rows;      // for blocks that lie apart and are in no first-level cache
  CopyRows crowded_rows;  // for short blocks that fall into one set of the first-level cache
  Gather gather;
  Scatter scatter;
  CopyPairs pairs;
};

struct Kernels {
  const char* name;  // of the instruction set
  Copy copy;
  Copy stream;  // past the caches, where the processor can; the destination's lines are not read
  BlockLoops (*loops)(std::int64_t length);
  GatherRagged gather_ragged;
  ScatterRagged scatter_ragged;
  bool ragged_by_masks = false;  // no unpredictable branch, whatever the lengths
  Transpose transpose4, transpose8, transpose16;
  FieldCopies (*fields)(std::size_t count, std::int64_t length);  // of null if there are none for these
  CopyShuffled shuffled;  // null where there are no byte permutations of whole vectors
};

extern const Kernels generic_kernels;
const Kernels* avx2_kernels();    // null if this processor lacks it
const Kernels* avx512_kernels();  // needs F, BW, VL, DQ, VBMI

// For any processor that has AVX2.
TransposeFunction avx2_transpose4, avx2_transpose8, avx2_transpose16;

// The best of this processor.
const Kernels& best_kernels();

}  // namespace marshal::datatype
