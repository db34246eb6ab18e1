// Times several variants in turns, so that a drifting machine is unfair to none.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace marshal::tools {

struct Variant {
  std::string name;
  // Runs the measured operation `operations` times.
  std::function<void()> run;
  double operations = 1;
  std::function<void()> prepare = [] {};  // called before each run, and not timed
};

// In what order variants take their turns: always the same, or another one in each round, since each leaves caches and
// predictors in its own state.
enum class Turns { in_order, shuffled };

// Nanoseconds an operation of each variant: the median of `rounds`, after one round to warm up.
std::vector<double> interleaved_medians(const std::vector<Variant>& variants, int rounds,
                                        Turns turns = Turns::in_order);

// The same variants, each repeated for about so many seconds, with its own data and code in the caches.
std::vector<Variant> repeated(const std::vector<Variant>& variants, double seconds);

// 0 of nothing.
double median_of(std::vector<double> values);

// Keeps a result alive that is not read.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

}  // namespace marshal::tools
