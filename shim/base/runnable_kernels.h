// Which kernels of a table this processor can run.
#pragma once

#include <cstddef>
#include <span>

namespace marshal {

// The table is in the order of AVX-512, AVX2 and all that every processor of the build can run; those that this one
// lacks are left out. The best comes first.
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
