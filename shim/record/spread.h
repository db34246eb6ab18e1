// The smallest summary of a number over processes that can be merged in any order with the same result: count, sum,
// least and most. Integers only, so that no order of merging can change a digit.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>

#include "record/fields.h"

namespace marshal::report {

struct Spread {
  std::uint64_t samples = 0;
  std::uint64_t sum = 0;
  std::uint64_t min = 0;  // 0 while there is no sample
  std::uint64_t max = 0;

  void add(std::uint64_t value) { merge({1, value, value, value}); }
  void merge(const Spread& other) {
    if (other.samples == 0) return;
    min = samples == 0 ? other.min : std::min(min, other.min);
    max = std::max(max, other.max);
    samples += other.samples;
    sum += other.sum;
  }
  double mean() const { return samples == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(samples); }

  MARSHAL_FIELDS(samples, sum, min, max);
  auto operator<=>(const Spread&) const = default;
};

}  // namespace marshal::report
