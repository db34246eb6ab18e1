#include "tools/interleaved_timing.h"

#include <algorithm>

namespace marshal::tools {

std::vector<double> interleaved_medians(const std::vector<Variant>& variants, int rounds) {
  using Clock = std::chrono::steady_clock;
  std::vector<std::vector<double>> samples(variants.size());
  for (int round = -1; round < rounds; ++round) {
    for (std::size_t v = 0; v < variants.size(); ++v) {
      const auto start = Clock::now();
      variants[v].run();
      const std::chrono::duration<double, std::nano> took = Clock::now() - start;
      if (round >= 0) samples[v].push_back(took.count() / variants[v].operations);
    }
  }
  std::vector<double> medians;
  for (auto& times : samples) {
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    medians.push_back(*middle);
  }
  return medians;
}

}  // namespace marshal::tools
