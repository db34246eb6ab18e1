// Arrays of unsigned integers of a fixed number of bits, up to 32, without gaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace marshal {

// `words` of 64 bits that hold `count` entries and may be read 8 bytes at a time from any of their bytes.
inline std::size_t packed_words(std::int64_t count, int bits) {
  return static_cast<std::size_t>((count * bits + 63) / 64 + 1);
}

// Little-endian, as all hosts of the vector kernels are.
inline std::uint32_t packed_get(const std::uint64_t* words, int bits, std::int64_t i) {
  const std::int64_t bit = i * bits;
  std::uint64_t window;
  std::memcpy(&window, reinterpret_cast<const char*>(words) + (bit >> 3), sizeof window);
  return static_cast<std::uint32_t>(window >> (bit & 7) & ((std::uint64_t{1} << bits) - 1));
}

// The entry must be zero before.
inline void packed_set(std::uint64_t* words, int bits, std::int64_t i, std::uint32_t value) {
  const std::int64_t bit = i * bits;
  char* const at = reinterpret_cast<char*>(words) + (bit >> 3);
  std::uint64_t window;
  std::memcpy(&window, at, sizeof window);
  window |= std::uint64_t{value} << (bit & 7);
  std::memcpy(at, &window, sizeof window);
}

}  // namespace marshal
