// The degree-th root of a positive number, by halving an interval with multiplications only: the same bits wherever the
// same binary runs, which the mathematical library does not promise from one processor to another.
#pragma once

namespace marshal::mapping {

inline double root(double number, int degree) {
  double low = 0.0, high = number > 1.0 ? number : 1.0;
  for (int step = 0; step < 100; ++step) {
    const double middle = (low + high) / 2;
    double power = 1.0;
    for (int i = 0; i < degree; ++i) power *= middle;
    (power <= number ? low : high) = middle;
  }
  return high;  // from above, so that the root of a perfect power is not just below the integer
}

}  // namespace marshal::mapping
