// Finds the nested strides of a sequence, if it has any (greedy radix detection, verified on every element).
#pragma once

#include <cstddef>
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

// The inner loop of pattern detection: up to where does a sequence equal itself, shifted?

// The smallest r in [start, values.size()) with values[r] != values[r - lag] + step (wrapping), or values.size().
// 1 <= lag <= start. By the fastest kernel that this processor has.
std::size_t first_mismatch(std::span<const std::int32_t> values, std::size_t start, std::size_t lag, std::int32_t step);

// The kernels that this processor can run, the widest first. The last is the plain loop, the oracle of the others.
struct MismatchKernel {
  const char* name;
  std::size_t (*run)(std::span<const std::int32_t> values, std::size_t start, std::size_t lag, std::int32_t step);
};
std::span<const MismatchKernel> mismatch_kernels();

}  // namespace marshal
