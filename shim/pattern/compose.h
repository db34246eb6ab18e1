// Algebra of strided sequences in closed form: time independent of their sizes.
#pragma once

#include <cstdint>
#include <optional>

#include "pattern/strided_sequence.h"

namespace marshal {

// r → outer(inner(r)). Every value of `inner` must be an index of `outer`. Nothing if the result has no form of three
// digits, or if constant time does not suffice to tell (a slice that starts within a block, say): then evaluate, and
// detect.
std::optional<StridedBlocks> compose(const StridedBlocks& outer, const StridedBlocks& inner);

// Elements [first, first + n) of `values`, which must lie within it. Nothing in the same cases as compose().
std::optional<StridedBlocks> slice(const StridedBlocks& values, std::int32_t first, std::int32_t n);

// `low` followed by `high`. Nothing where that has no form, or the sizes add up beyond 2^31 - 1.
std::optional<StridedBlocks> concatenate(const StridedBlocks& low, const StridedBlocks& high);

}  // namespace marshal
