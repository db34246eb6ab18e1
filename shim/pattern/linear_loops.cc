// Plain loops, which the compiler turns into vectors: GCC does so from -O3 on, and where a conversion need not trap.
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#pragma GCC optimize("O3", "no-trapping-math")
#endif

#include "pattern/linear_loops.h"

#include "base/runnable_kernels.h"

namespace marshal {
namespace {

[[gnu::always_inline]] inline IndexCheck check(std::span<const std::int32_t> values, std::int32_t size) {
  std::uint32_t outside = 0, disorder = 0, expected = 0;
  for (const std::int32_t value : values) {
    const auto index = static_cast<std::uint32_t>(value);
    outside |= index >= static_cast<std::uint32_t>(size) ? 1U : 0U;
    disorder |= index ^ expected++;
  }
  return {outside == 0, disorder == 0};
}

[[gnu::always_inline]] inline void fill(LinearFormula formula, std::span<std::int32_t> out) {
  std::uint32_t value = formula.start;
  for (std::int32_t& each : out) {
    each = static_cast<std::int32_t>(value);
    value += formula.step;
  }
}

[[gnu::always_inline]] inline void apply(LinearFormula formula, std::span<std::int32_t> indices) {
  for (std::int32_t& index : indices)
    index = static_cast<std::int32_t>(formula.start + static_cast<std::uint32_t>(index) * formula.step);
}

// Neighbours need no division.
[[gnu::always_inline]] inline void invert_neighbours(LinearValues of, std::int32_t absent,
                                                     std::span<std::int32_t> values) {
  const std::uint32_t start = of.downwards ? of.last : 0;
  const std::uint32_t step = of.downwards ? -1U : 1U;
  for (std::int32_t& value : values) {
    const std::uint32_t above = static_cast<std::uint32_t>(value) - static_cast<std::uint32_t>(of.lowest);
    const auto index = static_cast<std::int32_t>(start + above * step);
    value = above <= of.last ? index : absent;
  }
}

// A double holds the product of a value below 2^31 and the reciprocal closely enough. The reciprocal is a little too
// large, so that cutting the product off gives the index, if there is one; the product of integers says whether there
// is.
[[gnu::always_inline]] inline void invert_spaced(LinearValues of, std::int32_t absent, std::span<std::int32_t> values) {
  const std::uint32_t span = of.apart * of.last;
  const double reciprocal = (1.0 + 0x1p-40) / static_cast<double>(of.apart);
  const std::uint32_t start = of.downwards ? of.last : 0;
  const std::uint32_t step = of.downwards ? -1U : 1U;
  for (std::int32_t& value : values) {
    const std::uint32_t above = static_cast<std::uint32_t>(value) - static_cast<std::uint32_t>(of.lowest);
    const std::uint32_t within = above <= span ? above : 0;
    const auto steps = static_cast<std::int32_t>(static_cast<double>(static_cast<std::int32_t>(within)) * reciprocal);
    const bool found = (above <= span) & (static_cast<std::uint32_t>(steps) * of.apart == above);
    const auto index = static_cast<std::int32_t>(start + static_cast<std::uint32_t>(steps) * step);
    value = found ? index : absent;
  }
}

[[gnu::always_inline]] inline void invert(LinearValues of, std::int32_t absent, std::span<std::int32_t> values) {
  if (of.apart == 1)
    invert_neighbours(of, absent, values);
  else
    invert_spaced(of, absent, values);
}

IndexCheck check_plain(std::span<const std::int32_t> values, std::int32_t size) { return check(values, size); }
void fill_plain(LinearFormula formula, std::span<std::int32_t> out) { fill(formula, out); }
void apply_plain(LinearFormula formula, std::span<std::int32_t> indices) { apply(formula, indices); }
void invert_plain(LinearValues of, std::int32_t absent, std::span<std::int32_t> values) { invert(of, absent, values); }

#ifdef __x86_64__
[[gnu::target("avx2")]] IndexCheck check_avx2(std::span<const std::int32_t> values, std::int32_t size) {
  return check(values, size);
}
[[gnu::target("avx2")]] void fill_avx2(LinearFormula formula, std::span<std::int32_t> out) { fill(formula, out); }
[[gnu::target("avx2")]] void apply_avx2(LinearFormula formula, std::span<std::int32_t> indices) {
  apply(formula, indices);
}
[[gnu::target("avx2")]] void invert_avx2(LinearValues of, std::int32_t absent, std::span<std::int32_t> values) {
  invert(of, absent, values);
}
#endif

constexpr LinearLoops loops[] = {
#ifdef __x86_64__
    {"avx2", check_avx2, fill_avx2, apply_avx2, invert_avx2},  // AVX-512 gains nothing at the sizes of groups
#endif
    {"plain", check_plain, fill_plain, apply_plain, invert_plain}};

}  // namespace

std::span<const LinearLoops> linear_loops() { return runnable_kernels(loops); }

}  // namespace marshal
