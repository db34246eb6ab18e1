// Which kernels of a table this processor can run.
#pragma once

#include <cstddef>
#include <span>

namespace marshal {

// The table lists a kernel for AVX-512, one for AVX2, and then those that every processor can run. The result leaves
// out what this processor lacks; the best comes first.
template <class Kernel, std::size_t count>
std::span<const Kernel> runnable_kernels(const Kernel (&kernels)[count]) {
#ifdef __x86_64__
  const std::size_t missing = __builtin_cpu_supports("avx512f") ? 0 : __builtin_cpu_supports("avx2") ? 1 : 2;
#else
  const std::size_t missing = 0;
#endif
  return std::span(kernels).subspan(missing);
}

}  // namespace marshal
