// How often a property test repeats.
#pragma once

#include <cstdint>

namespace marshal {

// `times`; an eighth of it in builds with a sanitizer, where each takes some ten times as long and the same test has
// run in full without one.
constexpr std::uint64_t repeats(std::uint64_t times) {
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
  return (times + 7) / 8;
#else
  return times;
#endif
}

}  // namespace marshal
