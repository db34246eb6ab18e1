// The inner loops of bulk translation: tables read as a whole, and many values looked up in them.
#pragma once

#include <cstdint>
#include <span>

namespace marshal {

// One implementation. The plain one is the oracle of the others; all give the same results.
struct LookupKernels {
  const char* name;

  // out[i] = first + entry i of packed bits (packed_bits.h).
  void (*packed_read)(const std::uint64_t* words, int bits, std::int32_t first, std::span<std::int32_t> out);
  // A value v becomes entry v - first, less one; `absent` where that entry is 0 or not one of `count`.
  void (*packed_find)(const std::uint64_t* words, int bits, std::int32_t first, std::uint32_t count,
                      std::int32_t absent, std::span<std::int32_t> values);
  // A value v becomes entries[v - first]; `absent` where that is negative or not one of them.
  void (*array_find)(std::span<const std::int32_t> entries, std::int32_t first, std::int32_t absent,
                     std::span<std::int32_t> values);
};

// The kernels that this processor can run, the fastest first.
std::span<const LookupKernels> lookup_kernels();
inline const LookupKernels& fastest_lookups() {
  static const LookupKernels& fastest = lookup_kernels().front();
  return fastest;
}

}  // namespace marshal
