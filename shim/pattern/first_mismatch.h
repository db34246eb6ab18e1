// The inner loop of pattern detection: up to where does a sequence equal itself, shifted?
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace marshal {

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
