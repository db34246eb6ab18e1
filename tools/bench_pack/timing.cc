#include "tools/bench_pack/timing.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace marshal::bench {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<double> medians(const std::vector<std::vector<double>>& samples) {
  std::vector<double> all;
  for (const auto& s : samples) all.push_back(median(s));
  return all;
}

// The order of the variants, another one in each round, since each leaves caches and predictors in its own state.
class Turns {
 public:
  explicit Turns(std::size_t variants) : order_(variants) { std::iota(order_.begin(), order_.end(), std::size_t{0}); }
  const std::vector<std::size_t>& next() {
    std::shuffle(order_.begin(), order_.end(), random_);
    return order_;
  }

 private:
  std::vector<std::size_t> order_;
  std::mt19937 random_;
};

}  // namespace

std::vector<double> warm_medians(const std::vector<Variant>& variants, int rounds, double slice) {
  std::vector<std::int64_t> repeats;
  for (const auto& v : variants) {
    v.run();
    std::int64_t n = 1;
    for (;; n *= 2) {
      const double begin = now();
      for (std::int64_t i = 0; i < n; ++i) v.run();
      if (now() - begin > slice / 2) break;
    }
    repeats.push_back(n);
  }
  std::vector<std::vector<double>> samples(variants.size());
  Turns turns(variants.size());
  for (int round = 0; round < rounds; ++round) {
    for (const std::size_t v : turns.next()) {
      variants[v].run();  // its own data and code into the caches
      const double begin = now();
      for (std::int64_t i = 0; i < repeats[v]; ++i) variants[v].run();
      samples[v].push_back((now() - begin) / static_cast<double>(repeats[v]));
    }
  }
  return medians(samples);
}

std::vector<double> cold_medians(const std::vector<Variant>& variants, int rounds, const std::function<void()>& evict) {
  std::vector<std::vector<double>> samples(variants.size());
  Turns turns(variants.size());
  for (int round = 0; round < rounds; ++round) {
    for (const std::size_t v : turns.next()) {
      evict();
      const double begin = now();
      variants[v].run();
      samples[v].push_back(now() - begin);
    }
  }
  return medians(samples);
}

void evict(const std::byte* first, std::size_t bytes) {
#if defined(__x86_64__)
  for (std::size_t i = 0; i < bytes; i += 64) _mm_clflush(first + i);
  _mm_mfence();
#else
  static std::vector<std::byte> other(std::size_t{64} << 20);
  for (std::size_t i = 0; i < other.size(); i += 64) other[i] = std::byte{1};
  static_cast<void>(first);
  static_cast<void>(bytes);
#endif
}

}  // namespace marshal::bench
