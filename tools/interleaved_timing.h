// Times several variants in turns, so that a drifting machine is unfair to none.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace marshal::tools {

struct Variant {
  std::string name;
  // Runs the measured operation `operations` times.
  std::function<void()> run;
  double operations;
};

// Nanoseconds an operation of each variant: the median of `rounds`, after one round to warm up.
std::vector<double> interleaved_medians(const std::vector<Variant>& variants, int rounds);

// Keeps a result alive that is not read.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

}  // namespace marshal::tools
