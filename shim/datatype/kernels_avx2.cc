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
#include "datatype/transpose_tiles.h"

namespace marshal::datatype {
namespace {

inline __m256i load(const std::byte* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
inline void store(std::byte* p, __m256i v) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }

struct Avx2 {
  static constexpr std::int64_t bytes = 32;
  static inline __m256i load(const std::byte* p) { return datatype::load(p); }
  static inline void store(std::byte* p, __m256i v) { datatype::store(p, v); }
  static inline void stream(std::byte* p, __m256i v) { _mm256_stream_si256(reinterpret_cast<__m256i*>(p), v); }
};

}  // namespace

void avx2_transpose4(std::byte* to, std::int64_t to_row, const std::byte* from, std::int64_t from_row,
                     std::int64_t i_count, std::int64_t j_count) {
  const auto tile =
      [](std::byte * t, std::int64_t t_row, const std::byte* f, std::int64_t f_row) __attribute__((always_inline)) {
    __m256i a[8], b[8];
#pragma GCC unroll 8
    for (int j = 0; j < 8; ++j) a[j] = load(f + j * f_row);
#pragma GCC unroll 4
    for (int j = 0; j < 8; j += 2) {
      b[j] = _mm256_unpacklo_epi32(a[j], a[j + 1]);
      b[j + 1] = _mm256_unpackhi_epi32(a[j], a[j + 1]);
    }
#pragma GCC unroll 2
    for (int j = 0; j < 8; j += 4) {
      a[j] = _mm256_unpacklo_epi64(b[j], b[j + 2]);
      a[j + 1] = _mm256_unpackhi_epi64(b[j], b[j + 2]);
      a[j + 2] = _mm256_unpacklo_epi64(b[j + 1], b[j + 3]);
      a[j + 3] = _mm256_unpackhi_epi64(b[j + 1], b[j + 3]);
    }
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      store(t + j * t_row, _mm256_permute2x128_si256(a[j], a[j + 4], 0x20));
      store(t + (j + 4) * t_row, _mm256_permute2x128_si256(a[j], a[j + 4], 0x31));
    }
  };
  transpose_by<4, 8>(tile, to, to_row, from, from_row, i_count, j_count);
}

void avx2_transpose8(std::byte* to, std::int64_t to_row, const std::byte* from, std::int64_t from_row,
                     std::int64_t i_count, std::int64_t j_count) {
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

void avx2_transpose16(std::byte* to, std::int64_t to_row, const std::byte* from, std::int64_t from_row,
                      std::int64_t i_count, std::int64_t j_count) {
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

namespace {

constexpr Kernels make() {
  using AnyOfMany = AnyLengthByVectors<Avx2, Avx2>;
  Kernels k = kernels_with<OneByVectors<Avx2, Avx2>, AnyOfMany, AnyOfMany>("avx2");
  k.stream = &stream_block<Avx2>;
  k.transpose4 = &avx2_transpose4;
  k.transpose8 = &avx2_transpose8;
  k.transpose16 = &avx2_transpose16;
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
