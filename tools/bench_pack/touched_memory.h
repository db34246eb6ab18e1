// Memory for a benchmark: on huge or ordinary pages as malloc gives it, aligned to a page, all touched.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace marshal::bench {

struct Bytes {
  std::byte* data;
  std::size_t size;
};

struct Memory {
  explicit Memory(std::int64_t bytes)
      : size(static_cast<std::size_t>(bytes)), at(std::aligned_alloc(4096, (size + 8191) / 4096 * 4096)) {
    std::memset(at.get(), 0, size);
  }
  explicit Memory(const Bytes& copied) : Memory(static_cast<std::int64_t>(copied.size)) {
    std::memcpy(at.get(), copied.data, size);
  }
  std::byte* data() const { return static_cast<std::byte*>(at.get()); }
  // Different bytes for each seed.
  void fill(std::size_t seed = 0) const {
    for (std::size_t i = 0; i < size; ++i) data()[i] = static_cast<std::byte>((i + 77 * seed) * 2654435761U >> 13);
  }
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  std::size_t size;
  std::unique_ptr<void, Free> at;
};

// Writes back and drops the lines of this memory from all caches.
inline void evict([[maybe_unused]] const Memory& memory) {
#if defined(__x86_64__)
  for (std::size_t i = 0; i < memory.size; i += 64) _mm_clflush(memory.data() + i);
  _mm_mfence();
#else
  static const Memory other(std::int64_t{64} << 20);
  std::memset(other.data(), 1, other.size);
#endif
}

// The most memory for one layout: more might be missing, or taken from other programs.
inline std::int64_t most_memory() { return std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE) / 2; }

}  // namespace marshal::bench
