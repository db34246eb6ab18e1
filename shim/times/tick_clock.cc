#include "times/tick_clock.h"

#include <algorithm>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace marshal {
namespace {

#if defined(__x86_64__)
bool has_invariant_counter() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d & (1u << 8)) != 0;
}
#else
bool has_invariant_counter() { return false; }
#endif

}  // namespace

const bool detail::counter_is_steady = has_invariant_counter();

Ticks least_reading() {
  Ticks least = ~Ticks{0};
  for (int i = 0; i < 50; ++i) {
    const Ticks before = ticks_now();
    least = std::min(least, ticks_between(before, ticks_now()));
  }
  return least;
}

Moment moment_now() {
  // The readings of the shortest of three pairs belong together best.
  Moment best{};
  Ticks shortest = ~Ticks{0};
  for (int i = 0; i < 3; ++i) {
    const Ticks before = ticks_now();
    const std::uint64_t ns = monotonic_ns();
    const Ticks after = ticks_now();
    if (ticks_between(before, after) >= shortest) continue;
    shortest = ticks_between(before, after);
    best = {before + shortest / 2, ns};
  }
  return best;
}

double ns_a_tick(const Moment& earlier, const Moment& later) {
  const Ticks ticks = ticks_between(earlier.ticks, later.ticks);
  return ticks == 0 || later.ns <= earlier.ns ? 1
                                              : static_cast<double>(later.ns - earlier.ns) / static_cast<double>(ticks);
}

}  // namespace marshal
