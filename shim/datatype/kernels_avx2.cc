// Kernels for AVX2.
#if defined(__x86_64__)
#include <immintrin.h>

#include "datatype/kernels.h"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

#include "datatype/kernel_templates.h"

namespace marshal::datatype {
namespace {

inline __m256i load(const std::byte* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
inline void store(std::byte* p, __m256i v) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }

// Two overlapping copies of the power of two below: no byte outside the block.
struct AnyLengthAvx2 {
  template <int size>
  static inline void ends(std::byte* to, const std::byte* from, std::int64_t length) {
    std::byte low[size], high[size];
    __builtin_memcpy(low, from, size);
    __builtin_memcpy(high, from + length - size, size);
    __builtin_memcpy(to, low, size);
    __builtin_memcpy(to + length - size, high, size);
  }
  static inline void copy(std::byte* to, const std::byte* from, std::int64_t length) {
    if (length >= 32) {
      if (length > 1024) {
        __builtin_memcpy(to, from, static_cast<std::size_t>(length));
        return;
      }
      const __m256i last = load(from + length - 32);
      for (std::int64_t i = 0; i + 32 <= length; i += 32) store(to + i, load(from + i));
      store(to + length - 32, last);
    } else if (length >= 16) {
      ends<16>(to, from, length);
    } else if (length >= 8) {
      ends<8>(to, from, length);
    } else if (length >= 4) {
      ends<4>(to, from, length);
    } else if (length >= 2) {
      ends<2>(to, from, length);
    } else if (length == 1) {
      *to = *from;
    }
  }
};

void transpose4(std::byte* to, std::int64_t to_row, const std::byte* from, std::int64_t from_row, std::int64_t i_count,
                std::int64_t j_count) {
  const auto tile =
      [](std::byte * t, std::int64_t t_row, const std::byte* f, std::int64_t f_row) __attribute__((always_inline)) {
    __m256i a[8], b[8];
    for (int j = 0; j < 8; ++j) a[j] = load(f + j * f_row);
    for (int j = 0; j < 8; j += 2) {
      b[j] = _mm256_unpacklo_epi32(a[j], a[j + 1]);
      b[j + 1] = _mm256_unpackhi_epi32(a[j], a[j + 1]);
    }
    for (int j = 0; j < 8; j += 4) {
      a[j] = _mm256_unpacklo_epi64(b[j], b[j + 2]);
      a[j + 1] = _mm256_unpackhi_epi64(b[j], b[j + 2]);
      a[j + 2] = _mm256_unpacklo_epi64(b[j + 1], b[j + 3]);
      a[j + 3] = _mm256_unpackhi_epi64(b[j + 1], b[j + 3]);
    }
    for (int j = 0; j < 4; ++j) {
      store(t + j * t_row, _mm256_permute2x128_si256(a[j], a[j + 4], 0x20));
      store(t + (j + 4) * t_row, _mm256_permute2x128_si256(a[j], a[j + 4], 0x31));
    }
  };
  transpose_by<4, 8>(tile, to, to_row, from, from_row, i_count, j_count);
}

void transpose8(std::byte* to, std::int64_t to_row, const std::byte* from, std::int64_t from_row, std::int64_t i_count,
                std::int64_t j_count) {
  const auto tile =
      [](std::byte * t, std::int64_t t_row, const std::byte* f, std::int64_t f_row) __attribute__((always_inline)) {
    const __m256i a0 = load(f), a1 = load(f + f_row), a2 = load(f + 2 * f_row), a3 = load(f + 3 * f_row);
    const __m256i b0 = _mm256_unpacklo_epi64(a0, a1), b1 = _mm256_unpackhi_epi64(a0, a1);
    const __m256i b2 = _mm256_unpacklo_epi64(a2, a3), b3 = _mm256_unpackhi_epi64(a2, a3);
    store(t, _mm256_permute2x128_si256(b0, b2, 0x20));
    store(t + t_row, _mm256_permute2x128_si256(b1, b3, 0x20));
    store(t + 2 * t_row, _mm256_permute2x128_si256(b0, b2, 0x31));
    store(t + 3 * t_row, _mm256_permute2x128_si256(b1, b3, 0x31));
  };
  transpose_by<8, 4>(tile, to, to_row, from, from_row, i_count, j_count);
}

void transpose16(std::byte* to, std::int64_t to_row, const std::byte* from, std::int64_t from_row, std::int64_t i_count,
                 std::int64_t j_count) {
  const auto tile =
      [](std::byte * t, std::int64_t t_row, const std::byte* f, std::int64_t f_row) __attribute__((always_inline)) {
    const __m256i a0 = load(f), a1 = load(f + f_row), a2 = load(f + 2 * f_row), a3 = load(f + 3 * f_row);
    const __m256i a4 = load(f + 32), a5 = load(f + f_row + 32), a6 = load(f + 2 * f_row + 32),
                  a7 = load(f + 3 * f_row + 32);
    const auto pair = [](std::byte * p, __m256i x, __m256i y, __m256i z, __m256i w) __attribute__((always_inline)) {
      store(p, _mm256_permute2x128_si256(x, y, 0x20));
      store(p + 32, _mm256_permute2x128_si256(z, w, 0x20));
    };
    const auto odd_pair = [](std::byte * p, __m256i x, __m256i y, __m256i z, __m256i w) __attribute__((always_inline)) {
      store(p, _mm256_permute2x128_si256(x, y, 0x31));
      store(p + 32, _mm256_permute2x128_si256(z, w, 0x31));
    };
    pair(t, a0, a1, a2, a3);
    odd_pair(t + t_row, a0, a1, a2, a3);
    pair(t + 2 * t_row, a4, a5, a6, a7);
    odd_pair(t + 3 * t_row, a4, a5, a6, a7);
  };
  transpose_by<16, 4>(tile, to, to_row, from, from_row, i_count, j_count);
}

void stream(std::byte* to, const std::byte* from, std::int64_t length) {
  std::int64_t i = 0;
  const auto ahead = static_cast<std::int64_t>(-reinterpret_cast<std::uintptr_t>(to) & 31U);
  if (length >= 256) {
    __builtin_memcpy(to, from, static_cast<std::size_t>(ahead));
    for (i = ahead; i + 32 <= length; i += 32) _mm256_stream_si256(reinterpret_cast<__m256i*>(to + i), load(from + i));
    _mm_sfence();
  }
  __builtin_memcpy(to + i, from + i, static_cast<std::size_t>(length - i));
}

constexpr Kernels make() {
  Kernels k = kernels_with<AnyLengthAvx2>("avx2");
  k.transpose4 = &transpose4;
  k.transpose8 = &transpose8;
  k.transpose16 = &transpose16;
  k.stream = &stream;
  return k;
}

}  // namespace
}  // namespace marshal::datatype

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

namespace marshal::datatype {
namespace {
constexpr Kernels kernels = make();
}

const Kernels* avx2_kernels() { return __builtin_cpu_supports("avx2") ? &kernels : nullptr; }

}  // namespace marshal::datatype
#endif
