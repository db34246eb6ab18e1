// The kernels of a table that this processor can run.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace marshal {

// By the kernel's name: "avx512", "avx2", or one that every processor can run.
inline bool can_run(std::string_view name) {
#ifdef __x86_64__
  if (name == "avx512") return __builtin_cpu_supports("avx512f");
  if (name == "avx2") return __builtin_cpu_supports("avx2");
#endif
  static_cast<void>(name);
  return true;
}

// The table lists the best first, and one that every processor can run last. The result leaves out those before the
// first one that this processor can run.
template <class Kernel, std::size_t count>
std::span<const Kernel> runnable_kernels(const Kernel (&kernels)[count]) {
  std::size_t missing = 0;
  while (missing + 1 < count && !can_run(kernels[missing].name)) ++missing;
  return std::span(kernels).subspan(missing);
}

}  // namespace marshal
