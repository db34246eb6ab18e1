// Many consecutive values of a strided sequence, at the speed of a linear fill.
#pragma once

#include <cstdint>
#include <span>

#include "pattern/strided_sequence.h"

namespace marshal {

// out[i] = sequence(first + i).
void evaluate(const StridedBlocks& sequence, std::int32_t first, std::span<std::int32_t> out);
void evaluate(const DeepStridedBlocks& sequence, std::int32_t first, std::span<std::int32_t> out);

}  // namespace marshal
