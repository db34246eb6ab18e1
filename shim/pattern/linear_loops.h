// Loops over many values and one linear formula, start + step * index, in the vectors of this processor.
//
// Sums and products wrap around at 32 bits. So a caller may pass numbers that do not fit, as long as the result fits.
#pragma once

#include <cstdint>
#include <span>

namespace marshal {

struct LinearFormula {
  std::uint32_t start, step;
};

// The values that a linear formula takes for the indices 0, 1, … last, by their distance: for the way back.
struct LinearValues {
  std::int32_t lowest;
  std::uint32_t apart;  // at least 1
  std::uint32_t last;   // apart * last is below 2^31
  bool downwards;       // index 0 has the highest value
};

// in_range: all values lie in [0, size). in_order: they are 0, 1, 2, …
struct IndexCheck {
  bool in_range, in_order;
};

// One implementation. All give the same results; the plain one is the oracle of the others.
struct LinearLoops {
  const char* name;

  IndexCheck (*check)(std::span<const std::int32_t> values, std::int32_t size);
  // out[i] is the formula's value at i.
  void (*fill)(LinearFormula formula, std::span<std::int32_t> out);
  // An index becomes the formula's value.
  void (*apply)(LinearFormula formula, std::span<std::int32_t> indices);
  // A value becomes its index, any other `absent`.
  void (*invert)(LinearValues of, std::int32_t absent, std::span<std::int32_t> values);
};

// The loops that this processor can run, the fastest first.
std::span<const LinearLoops> linear_loops();
inline const LinearLoops& fastest_linear_loops() {
  static const LinearLoops& fastest = linear_loops().front();
  return fastest;
}

}  // namespace marshal
