// The two strided sequences that Marshal keeps: a communicator's lpids, and a datatype's displacements in bytes.
#pragma once

#include "pattern/strided_sequence.h"

namespace marshal {

// Ranks. Three digits say direct, offset, stride of either sign, blocks, 3-D sub-arrays, Cart_sub of Cart_sub and
// transposes; 48 bytes leave room in the cache line for what a rank map keeps beside them.
using StridedBlocks = StridedSequence<std::int32_t, 3>;
static_assert(sizeof(StridedBlocks) == 48 && std::is_trivially_copyable_v<StridedBlocks>);

// Displacements: the same with offsets and strides of 64 bits; one cache line.
using StridedOffsets = StridedSequence<std::int64_t, 3>;
static_assert(sizeof(StridedOffsets) == 64 && std::is_trivially_copyable_v<StridedOffsets>);

// Patterns of more than three digits, which are rare enough to live in a table of their own.
using DeepStridedBlocks = StridedSequence<std::int32_t, 6>;

}  // namespace marshal
