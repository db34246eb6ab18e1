// Finds the nested strides of a sequence, if it has any (greedy radix detection, verified on every element).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "pattern/strided_sequence.h"

namespace marshal {

// The sequence that equals `values` on every element, or nothing if it takes more than three digits. At most 2^31 - 1
// elements. One pass over the elements for a regular sequence; an irregular one is given up within a few elements of
// its first break. Runs on the widest vectors of this processor.
std::optional<StridedBlocks> detect(std::span<const std::int32_t> values);

// The same with up to six digits.
std::optional<DeepStridedBlocks> detect_deep(std::span<const std::int32_t> values);

}  // namespace marshal
