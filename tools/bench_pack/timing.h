// Times of variants that take turns, so that a disturbed moment hits all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace marshal::bench {

struct Variant {
  std::string name;
  std::function<void()> run;
};

// Median seconds of one run of each variant, over `rounds` rounds in which each runs for `slice` seconds or once.
std::vector<double> warm_medians(const std::vector<Variant>& variants, int rounds, double slice);

// The same with `evict` called before every single run.
std::vector<double> cold_medians(const std::vector<Variant>& variants, int rounds, const std::function<void()>& evict);

// Writes back and drops the lines of a range from all caches.
void evict(const std::byte* first, std::size_t bytes);

}  // namespace marshal::bench
