// Kernels for AVX-512 with byte masks and byte permutations (F, BW, DQ, VL, VBMI: Ice Lake, Zen 4 and later).
#if defined(__x86_64__)
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // g++ 12 warns of its own _mm512_undefined
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
inline __m512i load_index(const ShuffleRead& r) { return _mm512_loadu_si512(r.index); }

struct Avx512 {
  static constexpr std::int64_t bytes = 64;
  static inline __m512i load(const std::byte* p) { return datatype::load(p); }
  static inline void store(std::byte* p, __m512i v) { datatype::store(p, v); }
  static inline void stream(std::byte* p, __m512i v) { _mm512_stream_si512(reinterpret_cast<__m512i*>(p), v); }
};

struct HalfLine {
  static constexpr std::int64_t bytes = 32;
  static inline __m256i load(const std::byte* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
  static inline void store(std::byte* p, __m256i v) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }
};

// Another length for each block: a masked store (8 cycles on Zen 4) is cheaper than a mispredicted branch.
struct MaskedAvx512 {
  [[gnu::always_inline]] static inline void copy(std::byte* to, const std::byte* from, std::int64_t length) {
    if (length > 64) return copy_long<HalfLine>(to, from, length);
    const __mmask64 mask = _bzhi_u64(~0ULL, static_cast<unsigned>(length));
    _mm512_mask_storeu_epi8(to, mask, _mm512_maskz_loadu_epi8(mask, from));
  }
};

// One unit, reading and writing exactly what is needed.
inline void shuffle_carefully(std::byte* to, const std::byte* from, const Shuffle& program) {
  const ShuffleRead* r = program.reads;
  for (std::int32_t w = 0; w < program.write_count; ++w) {
    const ShuffleWrite& write = program.writes[w];
    __m512i v = _mm512_setzero_si512();
    for (std::int32_t i = 0; i < write.reads; ++i, ++r) {
      const __m512i first = _mm512_maskz_loadu_epi8(r->load[0], from + r->from[0]);
      const __m512i second = _mm512_maskz_loadu_epi8(r->load[1], from + r->from[1]);
      v = _mm512_mask_blend_epi8(r->lanes, v, _mm512_permutex2var_epi8(first, load_index(*r), second));
    }
    _mm512_mask_storeu_epi8(to + write.to, write.store, v);
  }
}

// Whole vectors; every write has the same number of reads, known here. 0 reads stand for one read of a single vector.
template <int reads, bool whole_writes>
inline void shuffle_unit(std::byte* to, const std::byte* from, const Shuffle& program, std::int32_t write_count) {
  const ShuffleRead* r = program.reads;
  for (std::int32_t w = 0; w < write_count; ++w) {
    const ShuffleWrite& write = program.writes[w];
    __m512i v;
    if constexpr (reads == 0) {
      v = _mm512_permutexvar_epi8(load_index(*r), load(from + r->from[0]));
      ++r;
    } else {
      v = _mm512_permutex2var_epi8(load(from + r->from[0]), load_index(*r), load(from + r->from[1]));
      ++r;
      for (int i = 1; i < reads; ++i, ++r) {
        const __m512i more = _mm512_permutex2var_epi8(load(from + r->from[0]), load_index(*r), load(from + r->from[1]));
        v = _mm512_mask_blend_epi8(r->lanes, v, more);
      }
    }
    if constexpr (whole_writes)
      store(to + write.to, v);
    else
      _mm512_mask_storeu_epi8(to + write.to, write.store, v);
  }
}

// The same for a few writes whose index vectors stay in registers.
template <int reads, int writes, bool whole_writes>
void shuffle_units_by_registers(std::byte* to, const std::byte* from, const Shuffle& program, const Rows& units) {
  constexpr bool single = reads == 0;
  constexpr int each = single ? 1 : reads;
  struct Read {
    __m512i index;
    std::int64_t first, second;
    __mmask64 lanes;
  } read[writes * each];
  std::int64_t at[writes];
  __mmask64 mask[writes];
#pragma GCC unroll 4
  for (int r = 0; r < writes * each; ++r) {
    const ShuffleRead& from_program = program.reads[r];
    read[r] = {load_index(from_program), from_program.from[0], from_program.from[1], from_program.lanes};
  }
#pragma GCC unroll 4
  for (int w = 0; w < writes; ++w) {
    at[w] = program.writes[w].to;
    mask[w] = program.writes[w].store;
  }
  const Rows rows = units;
  for (std::int64_t u = 0; u < rows.count; ++u) {
#pragma GCC unroll 4
    for (int w = 0; w < writes; ++w) {
      __m512i v = load(from + read[w * each].first);
      if constexpr (single)
        v = _mm512_permutexvar_epi8(read[w].index, v);
      else
        v = _mm512_permutex2var_epi8(v, read[w * each].index, load(from + read[w * each].second));
      if constexpr (each == 2) {
        const Read& more = read[w * each + 1];
        const __m512i rest = _mm512_permutex2var_epi8(load(from + more.first), more.index, load(from + more.second));
        v = _mm512_mask_blend_epi8(more.lanes, v, rest);
      }
      if constexpr (whole_writes)
        store(to + at[w], v);
      else
        _mm512_mask_storeu_epi8(to + at[w], mask[w], v);
    }
    to += rows.to;
    from += rows.from;
  }
}

template <int reads, bool whole_writes>
void shuffle_units(std::byte* to, const std::byte* from, const Shuffle& program, const Rows& units) {
  if constexpr (reads <= 2) {
    if (program.write_count == 1) return shuffle_units_by_registers<reads, 1, whole_writes>(to, from, program, units);
    if (program.write_count == 2) return shuffle_units_by_registers<reads, 2, whole_writes>(to, from, program, units);
  }
  if constexpr (reads <= 1) {
    if (program.write_count == 3) return shuffle_units_by_registers<reads, 3, whole_writes>(to, from, program, units);
    if (program.write_count == 4) return shuffle_units_by_registers<reads, 4, whole_writes>(to, from, program, units);
  }
  for (std::int64_t u = 0; u < units.count; ++u)
    shuffle_unit<reads, whole_writes>(to + u * units.to, from + u * units.from, program, program.write_count);
}

template <int reads>
void shuffle_evenly(std::byte* to, const std::byte* from, const Shuffle& program, const Rows& units) {
  if (program.whole_writes)
    shuffle_units<reads, true>(to, from, program, units);
  else
    shuffle_units<reads, false>(to, from, program, units);
}

void shuffled(std::byte* to, const std::byte* from, const Shuffle& program, const Rows& units) {
  std::int32_t most = 0, least = 1 << 30, all = 0;
  bool single = true;
  for (std::int32_t w = 0; w < program.write_count; ++w) {
    const std::int32_t reads = program.writes[w].reads;
    most = reads > most ? reads : most;
    least = reads < least ? reads : least;
    all += reads;
  }
  for (std::int32_t r = 0; r < all; ++r) single = single && program.reads[r].from[0] == program.reads[r].from[1];
  Rows quick = units;
  quick.count = units.count > program.careful_units ? units.count - program.careful_units : 0;
  if (most != least || most > 4)
    quick.count = 0;
  else if (most == 1 && single)
    shuffle_evenly<0>(to, from, program, quick);
  else if (most == 1)
    shuffle_evenly<1>(to, from, program, quick);
  else if (most == 2)
    shuffle_evenly<2>(to, from, program, quick);
  else if (most == 3)
    shuffle_evenly<3>(to, from, program, quick);
  else
    shuffle_evenly<4>(to, from, program, quick);
  for (std::int64_t u = quick.count; u < units.count; ++u)
    shuffle_carefully(to + u * units.to, from + u * units.from, program);
}

constexpr Kernels make() {
  Kernels k =
      kernels_with<OneByVectors<HalfLine, Avx512>, AnyLengthByVectors<HalfLine, Avx512>, MaskedAvx512>("avx512");
  k.stream = &stream_block<Avx512>;
  k.ragged_by_masks = true;
  // Tiles of half the width: whole lines that are not aligned would cross two of them.
  k.transpose4 = &avx2_transpose4;
  k.transpose8 = &avx2_transpose8;
  k.transpose16 = &avx2_transpose16;
  k.shuffled = &shuffled;
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
