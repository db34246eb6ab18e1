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

inline __m128i load16(const std::byte* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
inline void store16(std::byte* p, __m128i v) { _mm_storeu_si128(reinterpret_cast<__m128i*>(p), v); }
inline __m128i low(__m256i v) { return _mm256_castsi256_si128(v); }
inline __m128i high(__m256i v) { return _mm256_extracti128_si256(v, 1); }

// 16 bytes at each of two places.
inline __m256i load_halves(const std::byte* low, const std::byte* high) {
  return _mm256_inserti128_si256(_mm256_castsi128_si256(load16(low)), load16(high), 1);
}
// 8 bytes at each of two places.
inline __m128i load_quarters(const std::byte* low, const std::byte* high) {
  const __m128i first = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(low));
  return _mm_castpd_si128(_mm_loadh_pd(_mm_castsi128_pd(first), reinterpret_cast<const double*>(high)));
}
inline void store_quarters(std::byte* low, std::byte* high, __m128i v) {
  _mm_storel_epi64(reinterpret_cast<__m128i*>(low), v);
  const double upper = _mm_castsi128_pd(v)[1];  // not _mm_storeh_pd(), which writes through an aligned double*
  __builtin_memcpy(high, &upper, sizeof upper);
}
// 8 bytes at each of four places, from `row` to `row`.
inline __m256i load_quarters(const std::byte* p, std::int64_t row) {
  return _mm256_inserti128_si256(_mm256_castsi128_si256(load_quarters(p, p + row)),
                                 load_quarters(p + 2 * row, p + 3 * row), 1);
}
inline void store_quarters(std::byte* p, std::int64_t row, __m256i v) {
  store_quarters(p, p + row, low(v));
  store_quarters(p + 2 * row, p + 3 * row, high(v));
}
inline std::int32_t load4(const std::byte* p) {
  std::int32_t v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}

// Some rows or columns of the destination: see transpose_tiles.h.
struct Strips4 {
  static constexpr std::int64_t across = 8;
  // Four vectors whose halves are four elements each of four lines: the elements of one place in the line together.
  static inline void transpose_halves(__m256i (&v)[4]) {
    const __m256i a = _mm256_unpacklo_epi32(v[0], v[1]), b = _mm256_unpackhi_epi32(v[0], v[1]);
    const __m256i c = _mm256_unpacklo_epi32(v[2], v[3]), d = _mm256_unpackhi_epi32(v[2], v[3]);
    v[0] = _mm256_unpacklo_epi64(a, c);
    v[1] = _mm256_unpackhi_epi64(a, c);
    v[2] = _mm256_unpacklo_epi64(b, d);
    v[3] = _mm256_unpackhi_epi64(b, d);
  }
  static inline void four_rows(std::byte* t, std::int64_t t_row, const std::byte* f, std::int64_t f_row) {
    __m256i v[4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) v[k] = load_halves(f + k * f_row, f + (k + 4) * f_row);
    transpose_halves(v);
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) store(t + k * t_row, v[k]);
  }
  static inline void two_rows(std::byte* t, std::int64_t t_row, const std::byte* f, std::int64_t f_row) {
    const __m256 a = _mm256_castsi256_ps(_mm256_inserti128_si256(_mm256_castsi128_si256(load_quarters(f, f + f_row)),
                                                                 load_quarters(f + 4 * f_row, f + 5 * f_row), 1));
    const __m256 b =
        _mm256_castsi256_ps(_mm256_inserti128_si256(_mm256_castsi128_si256(load_quarters(f + 2 * f_row, f + 3 * f_row)),
                                                    load_quarters(f + 6 * f_row, f + 7 * f_row), 1));
    store(t, _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88)));
    store(t + t_row, _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0xdd)));
  }
  static inline void row(std::byte* t, const std::byte* f, std::int64_t f_row) {
    store(t, _mm256_setr_epi32(load4(f), load4(f + f_row), load4(f + 2 * f_row), load4(f + 3 * f_row),
                               load4(f + 4 * f_row), load4(f + 5 * f_row), load4(f + 6 * f_row), load4(f + 7 * f_row)));
  }
  static inline void four_columns(std::byte* t, std::int64_t t_row, const std::byte* f, std::int64_t f_row) {
    __m256i v[4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) v[k] = load(f + k * f_row);
    transpose_halves(v);
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {
      store16(t + k * t_row, low(v[k]));
      store16(t + (k + 4) * t_row, high(v[k]));
    }
  }
  static inline void two_columns(std::byte* t, std::int64_t t_row, const std::byte* f, std::int64_t f_row) {
    const __m256i a = load(f), b = load(f + f_row);
    const __m256i c = _mm256_unpacklo_epi32(a, b), d = _mm256_unpackhi_epi32(a, b);
    store_quarters(t, t + t_row, low(c));
    store_quarters(t + 2 * t_row, t + 3 * t_row, low(d));
    store_quarters(t + 4 * t_row, t + 5 * t_row, high(c));
    store_quarters(t + 6 * t_row, t + 7 * t_row, high(d));
  }
  static inline void column(std::byte* t, std::int64_t t_row, const std::byte* f) {
#pragma GCC unroll 8
    for (int k = 0; k < 8; ++k) __builtin_memcpy(t + k * t_row, f + 4 * k, 4);
  }
};

struct Strips8 {
  static constexpr std::int64_t across = 4;
  static inline void two_rows(std::byte* t, std::int64_t t_row, const std::byte* f, std::int64_t f_row) {
    const __m256i a = load_halves(f, f + 2 * f_row), b = load_halves(f + f_row, f + 3 * f_row);
    store(t, _mm256_unpacklo_epi64(a, b));
    store(t + t_row, _mm256_unpackhi_epi64(a, b));
  }
  static inline void row(std::byte* t, const std::byte* f, std::int64_t f_row) { store(t, load_quarters(f, f_row)); }
  static inline void two_columns(std::byte* t, std::int64_t t_row, const std::byte* f, std::int64_t f_row) {
    const __m256i a = load(f), b = load(f + f_row);
    const __m256i c = _mm256_unpacklo_epi64(a, b), d = _mm256_unpackhi_epi64(a, b);
    store16(t, low(c));
    store16(t + t_row, low(d));
    store16(t + 2 * t_row, high(c));
    store16(t + 3 * t_row, high(d));
  }
  static inline void column(std::byte* t, std::int64_t t_row, const std::byte* f) { store_quarters(t, t_row, load(f)); }
};

struct Strips16 {
  static constexpr std::int64_t across = 2;
  static inline void two_rows(std::byte* t, std::int64_t t_row, const std::byte* f, std::int64_t f_row) {
    const __m256i a = load(f), b = load(f + f_row);
    store(t, _mm256_permute2x128_si256(a, b, 0x20));
    store(t + t_row, _mm256_permute2x128_si256(a, b, 0x31));
  }
  static inline void row(std::byte* t, const std::byte* f, std::int64_t f_row) { store(t, load_halves(f, f + f_row)); }
  static inline void two_columns(std::byte* t, std::int64_t t_row, const std::byte* f, std::int64_t f_row) {
    two_rows(t, t_row, f, f_row);  // a square
  }
  static inline void column(std::byte* t, std::int64_t t_row, const std::byte* f) {
    store16(t, load16(f));
    store16(t + t_row, load16(f + 16));
  }
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
  transpose_by<4, 8, Strips4>(tile, to, to_row, from, from_row, i_count, j_count);
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
  transpose_by<8, 4, Strips8>(tile, to, to_row, from, from_row, i_count, j_count);
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
  transpose_by<16, 4, Strips16>(tile, to, to_row, from, from_row, i_count, j_count);
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
