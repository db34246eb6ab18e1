#include "rankmap/lookup_kernels.h"

#include "base/runnable_kernels.h"
#include "rankmap/packed_bits.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace marshal {
namespace {

void packed_read_plain(const std::uint64_t* words, int bits, std::int32_t first, std::span<std::int32_t> out) {
  std::int64_t i = 0;
  for (std::int32_t& value : out) value = first + static_cast<std::int32_t>(packed_get(words, bits, i++));
}

void packed_find_plain(const std::uint64_t* words, int bits, std::int32_t first, std::uint32_t count,
                       std::int32_t absent, std::span<std::int32_t> values) {
  for (std::int32_t& value : values) {
    const auto above = static_cast<std::uint32_t>(value) - static_cast<std::uint32_t>(first);
    const auto entry = above < count ? static_cast<std::int32_t>(packed_get(words, bits, above)) : 0;
    value = entry != 0 ? entry - 1 : absent;
  }
}

void array_find_plain(std::span<const std::int32_t> entries, std::int32_t first, std::int32_t absent,
                      std::span<std::int32_t> values) {
  for (std::int32_t& value : values) {
    const auto above = static_cast<std::uint32_t>(value) - static_cast<std::uint32_t>(first);
    const std::int32_t entry = above < entries.size() ? entries[above] : -1;
    value = entry < 0 ? absent : entry;
  }
}

#ifdef __x86_64__

// An entry lies within 32 bits that begin with a byte, and the offset of its first bit is below 2^31: gathers add
// signed offsets.
bool fits_gathers(int bits, std::uint64_t count) {
  return bits <= 25 && count * static_cast<unsigned>(bits) >> 31 == 0;
}

__attribute__((target("avx512f"))) __mmask16 lanes(std::size_t left) {
  return static_cast<__mmask16>(left >= 16 ? 0xffff : (1U << left) - 1);
}

// The entries that begin `offsets` bits after `start`.
__attribute__((target("avx512f"))) __m512i packed_gather(const void* start, __m512i offsets, __m512i mask,
                                                         __mmask16 wanted) {
  const __m512i windows = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), wanted,
                                                      _mm512_maskz_srli_epi32(wanted, offsets, 3), start, 1);
  const __m512i shifts = _mm512_and_si512(offsets, _mm512_set1_epi32(7));
  return _mm512_and_si512(_mm512_maskz_srlv_epi32(wanted, windows, shifts), mask);
}

__attribute__((target("avx512f"))) void packed_read_avx512(const std::uint64_t* words, int bits, std::int32_t first,
                                                           std::span<std::int32_t> out) {
  if (!fits_gathers(bits, 16)) return packed_read_plain(words, bits, first, out);
  const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  // Sixteen entries are twice as many bytes as one has bits.
  const __m512i offsets = _mm512_mullo_epi32(lane, _mm512_set1_epi32(bits));
  const __m512i mask = _mm512_set1_epi32(static_cast<int>((1U << bits) - 1));
  const __m512i base = _mm512_set1_epi32(first);
  const char* start = reinterpret_cast<const char*>(words);
  for (std::size_t i = 0; i < out.size(); i += 16, start += 2 * bits) {
    const __mmask16 wanted = lanes(out.size() - i);
    const __m512i entries = packed_gather(start, offsets, mask, wanted);
    _mm512_mask_storeu_epi32(out.data() + i, wanted, _mm512_add_epi32(base, entries));
  }
}

__attribute__((target("avx512f"))) void packed_find_avx512(const std::uint64_t* words, int bits, std::int32_t first,
                                                           std::uint32_t count, std::int32_t absent,
                                                           std::span<std::int32_t> values) {
  if (!fits_gathers(bits, count)) return packed_find_plain(words, bits, first, count, absent, values);
  const __m512i mask = _mm512_set1_epi32(static_cast<int>((1U << bits) - 1));
  for (std::size_t i = 0; i < values.size(); i += 16) {
    const __mmask16 here = lanes(values.size() - i);
    const __m512i above = _mm512_sub_epi32(_mm512_maskz_loadu_epi32(here, values.data() + i), _mm512_set1_epi32(first));
    const __mmask16 within = _mm512_mask_cmplt_epu32_mask(here, above, _mm512_set1_epi32(static_cast<int>(count)));
    const __m512i offsets = _mm512_mullo_epi32(above, _mm512_set1_epi32(bits));
    const __m512i entries = packed_gather(words, offsets, mask, within);
    const __mmask16 found = _mm512_test_epi32_mask(entries, entries);
    const __m512i indices = _mm512_sub_epi32(entries, _mm512_set1_epi32(1));
    _mm512_mask_storeu_epi32(values.data() + i, here, _mm512_mask_mov_epi32(_mm512_set1_epi32(absent), found, indices));
  }
}

__attribute__((target("avx512f"))) void array_find_avx512(std::span<const std::int32_t> entries, std::int32_t first,
                                                          std::int32_t absent, std::span<std::int32_t> values) {
  if (!fits_gathers(1, entries.size())) return array_find_plain(entries, first, absent, values);
  for (std::size_t i = 0; i < values.size(); i += 16) {
    const __mmask16 here = lanes(values.size() - i);
    const __m512i above = _mm512_sub_epi32(_mm512_maskz_loadu_epi32(here, values.data() + i), _mm512_set1_epi32(first));
    const __mmask16 within =
        _mm512_mask_cmplt_epu32_mask(here, above, _mm512_set1_epi32(static_cast<int>(entries.size())));
    const __m512i found = _mm512_mask_i32gather_epi32(_mm512_set1_epi32(-1), within, above, entries.data(), 4);
    const __mmask16 none = _mm512_cmplt_epi32_mask(found, _mm512_setzero_si512());
    _mm512_mask_storeu_epi32(values.data() + i, here, _mm512_mask_mov_epi32(found, none, _mm512_set1_epi32(absent)));
  }
}

__attribute__((target("avx2"))) __m256i packed_gather(const void* start, __m256i offsets, __m256i mask,
                                                      __m256i wanted) {
  const __m256i windows = _mm256_mask_i32gather_epi32(_mm256_setzero_si256(), static_cast<const int*>(start),
                                                      _mm256_srli_epi32(offsets, 3), wanted, 1);
  const __m256i shifts = _mm256_and_si256(offsets, _mm256_set1_epi32(7));
  return _mm256_and_si256(_mm256_srlv_epi32(windows, shifts), mask);
}

// All ones in the lanes whose value is below `count`, 0 < count.
__attribute__((target("avx2"))) __m256i below(__m256i values, std::uint32_t count) {
  return _mm256_cmpeq_epi32(_mm256_min_epu32(values, _mm256_set1_epi32(static_cast<int>(count - 1))), values);
}

__attribute__((target("avx2"))) void packed_read_avx2(const std::uint64_t* words, int bits, std::int32_t first,
                                                      std::span<std::int32_t> out) {
  if (!fits_gathers(bits, 8)) return packed_read_plain(words, bits, first, out);
  const __m256i offsets = _mm256_mullo_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(bits));
  const __m256i mask = _mm256_set1_epi32(static_cast<int>((1U << bits) - 1));
  const char* start = reinterpret_cast<const char*>(words);
  std::size_t i = 0;
  for (; i + 8 <= out.size(); i += 8, start += bits) {
    const __m256i entries = packed_gather(start, offsets, mask, _mm256_set1_epi32(-1));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out.data() + i),
                        _mm256_add_epi32(_mm256_set1_epi32(first), entries));
  }
  for (; i < out.size(); ++i)
    out[i] = first + static_cast<std::int32_t>(packed_get(words, bits, static_cast<std::int64_t>(i)));
}

__attribute__((target("avx2"))) void packed_find_avx2(const std::uint64_t* words, int bits, std::int32_t first,
                                                      std::uint32_t count, std::int32_t absent,
                                                      std::span<std::int32_t> values) {
  if (count == 0 || !fits_gathers(bits, count)) return packed_find_plain(words, bits, first, count, absent, values);
  const __m256i mask = _mm256_set1_epi32(static_cast<int>((1U << bits) - 1));
  std::size_t i = 0;
  for (; i + 8 <= values.size(); i += 8) {
    const auto at = reinterpret_cast<__m256i*>(values.data() + i);
    const __m256i above = _mm256_sub_epi32(_mm256_loadu_si256(at), _mm256_set1_epi32(first));
    const __m256i offsets = _mm256_mullo_epi32(above, _mm256_set1_epi32(bits));
    const __m256i entries = packed_gather(words, offsets, mask, below(above, count));
    const __m256i none = _mm256_cmpeq_epi32(entries, _mm256_setzero_si256());
    const __m256i indices = _mm256_sub_epi32(entries, _mm256_set1_epi32(1));
    _mm256_storeu_si256(at, _mm256_blendv_epi8(indices, _mm256_set1_epi32(absent), none));
  }
  packed_find_plain(words, bits, first, count, absent, values.subspan(i));
}

__attribute__((target("avx2"))) void array_find_avx2(std::span<const std::int32_t> entries, std::int32_t first,
                                                     std::int32_t absent, std::span<std::int32_t> values) {
  if (entries.empty() || !fits_gathers(1, entries.size())) return array_find_plain(entries, first, absent, values);
  std::size_t i = 0;
  for (; i + 8 <= values.size(); i += 8) {
    const auto at = reinterpret_cast<__m256i*>(values.data() + i);
    const __m256i above = _mm256_sub_epi32(_mm256_loadu_si256(at), _mm256_set1_epi32(first));
    const __m256i within = below(above, static_cast<std::uint32_t>(entries.size()));
    const __m256i found = _mm256_mask_i32gather_epi32(_mm256_set1_epi32(-1), entries.data(), above, within, 4);
    const __m256i none = _mm256_cmpgt_epi32(_mm256_setzero_si256(), found);
    _mm256_storeu_si256(at, _mm256_blendv_epi8(found, _mm256_set1_epi32(absent), none));
  }
  array_find_plain(entries, first, absent, values.subspan(i));
}

#endif

constexpr LookupKernels kernels[] = {
#ifdef __x86_64__
    {"avx512", packed_read_avx512, packed_find_avx512, array_find_avx512},
    {"avx2", packed_read_avx2, packed_find_avx2, array_find_avx2},
#endif
    {"plain", packed_read_plain, packed_find_plain, array_find_plain}};

}  // namespace

std::span<const LookupKernels> lookup_kernels() { return runnable_kernels(kernels); }

}  // namespace marshal
