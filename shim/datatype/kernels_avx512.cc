// Kernels for AVX-512 with byte masks and byte permutations (F, BW, DQ, VL, VBMI: Ice Lake, Zen 4 and later).
#if defined(__x86_64__)
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // g++ 12 takes its own _mm512_undefined for an accident
#endif
#include <immintrin.h>

#include "datatype/kernels.h"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,bmi2"))), \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,bmi2")
#endif

#include "datatype/kernel_templates.h"

namespace marshal::datatype {
namespace {

inline __m512i load(const std::byte* p) { return _mm512_loadu_si512(p); }
inline void store(std::byte* p, __m512i v) { _mm512_storeu_si512(p, v); }

struct AnyLengthAvx512 {
  static inline void copy(std::byte* to, const std::byte* from, std::int64_t length) {
    if (length > 64) {
      if (length > 1024) {
        __builtin_memcpy(to, from, static_cast<std::size_t>(length));
        return;
      }
      const __m512i last = load(from + length - 64);
      for (std::int64_t i = 0; i + 64 <= length; i += 64) store(to + i, load(from + i));
      store(to + length - 64, last);
      return;
    }
    const __mmask64 mask = _bzhi_u64(~0ULL, static_cast<unsigned>(length));
    _mm512_mask_storeu_epi8(to, mask, _mm512_maskz_loadu_epi8(mask, from));
  }
};

void transpose4(std::byte* to, std::int64_t to_row, const std::byte* from, std::int64_t from_row, std::int64_t i_count,
                std::int64_t j_count) {
  const auto tile =
      [](std::byte * t, std::int64_t t_row, const std::byte* f, std::int64_t f_row) __attribute__((always_inline)) {
    __m512i a[16], b[16];
    for (int j = 0; j < 16; ++j) a[j] = load(f + j * f_row);
    for (int j = 0; j < 16; j += 2) {
      b[j] = _mm512_unpacklo_epi32(a[j], a[j + 1]);
      b[j + 1] = _mm512_unpackhi_epi32(a[j], a[j + 1]);
    }
    for (int j = 0; j < 16; j += 4) {
      a[j] = _mm512_unpacklo_epi64(b[j], b[j + 2]);
      a[j + 1] = _mm512_unpackhi_epi64(b[j], b[j + 2]);
      a[j + 2] = _mm512_unpacklo_epi64(b[j + 1], b[j + 3]);
      a[j + 3] = _mm512_unpackhi_epi64(b[j + 1], b[j + 3]);
    }
    for (int j = 0; j < 4; ++j) {  // 128-bit lanes of rows j, 4 + j, 8 + j, 12 + j
      const __m512i p = _mm512_shuffle_i32x4(a[j], a[j + 4], 0x88), q = _mm512_shuffle_i32x4(a[j], a[j + 4], 0xdd);
      const __m512i r = _mm512_shuffle_i32x4(a[j + 8], a[j + 12], 0x88),
                    s = _mm512_shuffle_i32x4(a[j + 8], a[j + 12], 0xdd);
      store(t + j * t_row, _mm512_shuffle_i32x4(p, r, 0x88));
      store(t + (j + 4) * t_row, _mm512_shuffle_i32x4(q, s, 0x88));
      store(t + (j + 8) * t_row, _mm512_shuffle_i32x4(p, r, 0xdd));
      store(t + (j + 12) * t_row, _mm512_shuffle_i32x4(q, s, 0xdd));
    }
  };
  transpose_by<4, 16>(tile, to, to_row, from, from_row, i_count, j_count);
}

void transpose8(std::byte* to, std::int64_t to_row, const std::byte* from, std::int64_t from_row, std::int64_t i_count,
                std::int64_t j_count) {
  const auto tile =
      [](std::byte * t, std::int64_t t_row, const std::byte* f, std::int64_t f_row) __attribute__((always_inline)) {
    __m512i a[8], b[8];
    for (int j = 0; j < 8; ++j) a[j] = load(f + j * f_row);
    for (int j = 0; j < 8; j += 2) {
      b[j] = _mm512_unpacklo_epi64(a[j], a[j + 1]);
      b[j + 1] = _mm512_unpackhi_epi64(a[j], a[j + 1]);
    }
    for (int j = 0; j < 2; ++j) {  // lanes k of b[j], b[2 + j], b[4 + j], b[6 + j] are row 2 k + j
      const __m512i p = _mm512_shuffle_i64x2(b[j], b[2 + j], 0x88), q = _mm512_shuffle_i64x2(b[j], b[2 + j], 0xdd);
      const __m512i r = _mm512_shuffle_i64x2(b[4 + j], b[6 + j], 0x88),
                    s = _mm512_shuffle_i64x2(b[4 + j], b[6 + j], 0xdd);
      store(t + j * t_row, _mm512_shuffle_i64x2(p, r, 0x88));
      store(t + (2 + j) * t_row, _mm512_shuffle_i64x2(q, s, 0x88));
      store(t + (4 + j) * t_row, _mm512_shuffle_i64x2(p, r, 0xdd));
      store(t + (6 + j) * t_row, _mm512_shuffle_i64x2(q, s, 0xdd));
    }
  };
  transpose_by<8, 8>(tile, to, to_row, from, from_row, i_count, j_count);
}

void transpose16(std::byte* to, std::int64_t to_row, const std::byte* from, std::int64_t from_row, std::int64_t i_count,
                 std::int64_t j_count) {
  const auto tile =
      [](std::byte * t, std::int64_t t_row, const std::byte* f, std::int64_t f_row) __attribute__((always_inline)) {
    const __m512i a = load(f), b = load(f + f_row), c = load(f + 2 * f_row), d = load(f + 3 * f_row);
    const __m512i p = _mm512_shuffle_i64x2(a, b, 0x88), q = _mm512_shuffle_i64x2(a, b, 0xdd);
    const __m512i r = _mm512_shuffle_i64x2(c, d, 0x88), s = _mm512_shuffle_i64x2(c, d, 0xdd);
    store(t, _mm512_shuffle_i64x2(p, r, 0x88));
    store(t + t_row, _mm512_shuffle_i64x2(q, s, 0x88));
    store(t + 2 * t_row, _mm512_shuffle_i64x2(p, r, 0xdd));
    store(t + 3 * t_row, _mm512_shuffle_i64x2(q, s, 0xdd));
  };
  transpose_by<16, 4>(tile, to, to_row, from, from_row, i_count, j_count);
}

inline __m512i read_one(const ShuffleRead& r, const std::byte* from) {
  return _mm512_maskz_permutexvar_epi8(r.lanes, _mm512_loadu_si512(r.index),
                                       _mm512_maskz_loadu_epi8(r.load, from + r.from));
}

inline __m512i read_more(__m512i so_far, const ShuffleRead& r, const std::byte* from) {
  return _mm512_mask_permutexvar_epi8(so_far, r.lanes, _mm512_loadu_si512(r.index),
                                      _mm512_maskz_loadu_epi8(r.load, from + r.from));
}

// All writes have the same number of reads, known here.
template <int reads>
void shuffled_evenly(std::byte* to, const std::byte* from, const Shuffle& program, const Rows& units) {
  for (std::int64_t u = 0; u < units.count; ++u) {
    const ShuffleRead* r = program.reads;
    for (std::int32_t w = 0; w < program.write_count; ++w) {
      const ShuffleWrite& write = program.writes[w];
      __m512i v = read_one(r[0], from);
      if constexpr (reads > 1) v = read_more(v, r[1], from);
      if constexpr (reads > 2) v = read_more(v, r[2], from);
      if constexpr (reads > 3) v = read_more(v, r[3], from);
      r += reads;
      if (write.store == ~std::uint64_t{0})
        store(to + write.to, v);
      else
        _mm512_mask_storeu_epi8(to + write.to, write.store, v);
    }
    to += units.to;
    from += units.from;
  }
}

void shuffled(std::byte* to, const std::byte* from, const Shuffle& program, const Rows& units) {
  bool even = true;
  for (std::int32_t w = 1; w < program.write_count; ++w)
    even = even && program.writes[w].reads == program.writes[0].reads;
  if (even && program.writes[0].reads == 1) return shuffled_evenly<1>(to, from, program, units);
  if (even && program.writes[0].reads == 2) return shuffled_evenly<2>(to, from, program, units);
  if (even && program.writes[0].reads == 3) return shuffled_evenly<3>(to, from, program, units);
  if (even && program.writes[0].reads == 4) return shuffled_evenly<4>(to, from, program, units);
  for (std::int64_t u = 0; u < units.count; ++u) {
    const ShuffleRead* r = program.reads;
    for (std::int32_t w = 0; w < program.write_count; ++w) {
      const ShuffleWrite& write = program.writes[w];
      __m512i v = read_one(*r++, from);
      for (std::int32_t i = 1; i < write.reads; ++i) v = read_more(v, *r++, from);
      _mm512_mask_storeu_epi8(to + write.to, write.store, v);
    }
    to += units.to;
    from += units.from;
  }
}

void stream(std::byte* to, const std::byte* from, std::int64_t length) {
  std::int64_t i = 0;
  if (length >= 256) {
    i = static_cast<std::int64_t>(-reinterpret_cast<std::uintptr_t>(to) & 63U);
    __builtin_memcpy(to, from, static_cast<std::size_t>(i));
    for (; i + 64 <= length; i += 64) _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i), load(from + i));
    _mm_sfence();
  }
  __builtin_memcpy(to + i, from + i, static_cast<std::size_t>(length - i));
}

constexpr Kernels make() {
  Kernels k = kernels_with<AnyLengthAvx512>("avx512");
  k.transpose4 = &transpose4;
  k.transpose8 = &transpose8;
  k.transpose16 = &transpose16;
  k.shuffled = &shuffled;
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

const Kernels* avx512_kernels() {
  const bool all = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                   __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("bmi2");
  return all ? &kernels : nullptr;
}

}  // namespace marshal::datatype
#endif
