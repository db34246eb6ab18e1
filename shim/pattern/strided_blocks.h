// The strided sequences that rank maps keep.
#pragma once

#include <type_traits>

#include "pattern/strided_sequence.h"

namespace marshal {

// Ranks. Three digits say direct, offset, stride of either sign, blocks, 3-D sub-arrays, Cart_sub of Cart_sub and
// transposes; 48 bytes leave room in the cache line for what a rank map keeps beside them.
using StridedBlocks = StridedSequence<3>;
static_assert(sizeof(StridedBlocks) == 48 && std::is_trivially_copyable_v<StridedBlocks>);

// Patterns of more than three digits, which are rare enough to live in a table of their own.
using DeepStridedBlocks = StridedSequence<6>;

}  // namespace marshal
