#include "tools/timing.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>

namespace marshal::tools {
namespace {

double nanoseconds_of(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

std::vector<double> interleaved_medians(const std::vector<Variant>& variants, int rounds, Turns turns) {
  std::vector<std::vector<double>> samples(variants.size());
  std::vector<std::size_t> order(variants.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 random;
  for (int round = -1; round < rounds; ++round) {
    if (turns == Turns::shuffled) std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t v : order) {
      variants[v].prepare();
      const double took = nanoseconds_of(variants[v].run);
      if (round >= 0) samples[v].push_back(took / variants[v].operations);
    }
  }
  std::vector<double> medians;
  for (auto& times : samples) medians.push_back(median_of(std::move(times)));
  return medians;
}

std::vector<Variant> repeated(const std::vector<Variant>& variants, double seconds) {
  std::vector<Variant> all;
  for (const Variant& variant : variants) {
    variant.run();
    std::int64_t times = 1;
    const auto run = [&variant, &times] {
      for (std::int64_t i = 0; i < times; ++i) variant.run();
    };
    while (nanoseconds_of(run) <= seconds / 2 * 1e9) times *= 2;
    all.push_back({variant.name,
                   [run = variant.run, times] {
                     for (std::int64_t i = 0; i < times; ++i) run();
                   },
                   static_cast<double>(times), variant.run});
  }
  return all;
}

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace marshal::tools
