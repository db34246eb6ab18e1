#include "pattern/detect.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/runnable_kernels.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace marshal {
namespace {

std::size_t plain(std::span<const std::int32_t> values, std::size_t start, std::size_t lag, std::int32_t step) {
  for (std::size_t r = start; r < values.size(); ++r) {
    if (static_cast<std::uint32_t>(values[r]) !=
        static_cast<std::uint32_t>(values[r - lag]) + static_cast<std::uint32_t>(step))
      return r;
  }
  return values.size();
}

#ifdef __x86_64__

// Each kernel compares groups of four vectors, then the group that differs, or the rest, vector by vector. What remains
// is compared by the plain loop (AVX2) or under a mask (AVX-512).

__attribute__((target("avx2"))) std::size_t avx2(std::span<const std::int32_t> values, std::size_t start,
                                                 std::size_t lag, std::int32_t step) {
  const std::int32_t* const v = values.data();
  const __m256i steps = _mm256_set1_epi32(step);
  const auto differs = [&](std::size_t r) __attribute__((target("avx2"))) {
    const __m256i here = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(v + r));
    const __m256i there = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(v + r - lag));
    return _mm256_xor_si256(here, _mm256_add_epi32(there, steps));
  };
  std::size_t r = start;
  for (; r + 32 <= values.size(); r += 32) {
    const __m256i any =
        _mm256_or_si256(_mm256_or_si256(differs(r), differs(r + 8)), _mm256_or_si256(differs(r + 16), differs(r + 24)));
    if (!_mm256_testz_si256(any, any)) break;
  }
  for (; r + 8 <= values.size(); r += 8)
    if (const __m256i any = differs(r); !_mm256_testz_si256(any, any)) break;
  return plain(values, r, lag, step);
}

__attribute__((target("avx512f"))) std::size_t avx512(std::span<const std::int32_t> values, std::size_t start,
                                                      std::size_t lag, std::int32_t step) {
  const std::int32_t* const v = values.data();
  const __m512i steps = _mm512_set1_epi32(step);
  const auto differs = [&](std::size_t r) __attribute__((target("avx512f"))) {
    return _mm512_cmpneq_epi32_mask(_mm512_loadu_si512(v + r),
                                    _mm512_add_epi32(_mm512_loadu_si512(v + r - lag), steps));
  };
  std::size_t r = start;
  for (; r + 64 <= values.size(); r += 64) {
    if ((differs(r) | differs(r + 16) | differs(r + 32) | differs(r + 48)) != 0) break;
  }
  for (; r + 16 <= values.size(); r += 16)
    if (const unsigned lanes = differs(r)) return r + static_cast<std::size_t>(std::countr_zero(lanes));
  const auto mask = static_cast<__mmask16>((1U << (values.size() - r)) - 1);
  const __m512i there = _mm512_add_epi32(_mm512_maskz_loadu_epi32(mask, v + r - lag), steps);
  const unsigned lanes = _mm512_mask_cmpneq_epi32_mask(mask, _mm512_maskz_loadu_epi32(mask, v + r), there);
  return lanes != 0 ? r + static_cast<std::size_t>(std::countr_zero(lanes)) : values.size();
}

#endif

constexpr MismatchKernel mismatch_kernel_table[] = {
#ifdef __x86_64__
    {"avx512", avx512},
    {"avx2", avx2},
#endif
    {"plain", plain}};

}  // namespace

std::size_t first_mismatch(std::span<const std::int32_t> values, std::size_t start, std::size_t lag,
                           std::int32_t step) {
  static const auto kernel = mismatch_kernels().front().run;
  constexpr std::size_t cache_line = 64 / sizeof(std::int32_t);
  // A sequence that repeats after `lag` also repeats after several lags at once. If the larger lag is a whole number of
  // cache lines, both loads of a comparison can be aligned. Its first round must be checked by the small lag before.
  const std::size_t times =
      cache_line >> std::min(std::countr_zero(cache_line), std::countr_zero(lag));  // cache_line / gcd
  const std::size_t wide = times * lag;
  if (values.size() - start < 4 * wide) return kernel(values, start, lag, step);
  const auto misaligned =
      reinterpret_cast<std::uintptr_t>(values.data() + start + wide) / sizeof(std::int32_t) % cache_line;
  const std::size_t checked = start + wide + (misaligned == 0 ? 0 : cache_line - misaligned);
  const std::size_t found = kernel(values.first(checked), start, lag, step);
  if (found < checked) return found;
  return kernel(values, checked, wide,
                static_cast<std::int32_t>(static_cast<std::uint32_t>(step) * static_cast<std::uint32_t>(times)));
}

std::span<const MismatchKernel> mismatch_kernels() { return runnable_kernels(mismatch_kernel_table); }

namespace {

template <class Sequence>
std::optional<Sequence> detect_digits(std::span<const std::int32_t> values) {
  const auto size = static_cast<std::int32_t>(values.size());
  if (size == 0) return Sequence{};
  std::array<typename Sequence::Digit, Sequence::places> digits{};
  std::size_t used = 0;
  // Invariant: the first `reached` values follow the digits found, the last of which is still open; they repeat in
  // blocks of `block`.
  std::size_t block = 1;
  std::size_t reached = 1;
  while (reached < values.size()) {
    if (reached % block != 0 || used == digits.size()) return std::nullopt;
    if (used > 0) digits[used - 1].count = static_cast<std::int32_t>(reached / block);
    block = reached;
    const auto stride =
        static_cast<std::int32_t>(static_cast<std::uint32_t>(values[block]) - static_cast<std::uint32_t>(values[0]));
    digits[used++] = {size, stride};
    reached = first_mismatch(values, block, block, stride);
  }
  return Sequence::from_digits(values[0], {digits.data(), used}, size);
}

}  // namespace

std::optional<StridedBlocks> detect(std::span<const std::int32_t> values) {
  return detect_digits<StridedBlocks>(values);
}

std::optional<DeepStridedBlocks> detect_deep(std::span<const std::int32_t> values) {
  return detect_digits<DeepStridedBlocks>(values);
}

}  // namespace marshal
