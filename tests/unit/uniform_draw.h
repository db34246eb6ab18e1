// Random whole numbers of a property test.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

namespace marshal {

class UniformDraw {
 public:
  explicit UniformDraw(unsigned seed) : engine_(seed) {}

  // From `least` to `most`, both included.
  std::int32_t operator()(std::int32_t least, std::int32_t most) {
    return std::uniform_int_distribution<std::int32_t>(least, most)(engine_);
  }
  // All from 0 to `size` - 1, in any order.
  std::vector<std::int32_t> shuffled(std::int32_t size) {
    std::vector<std::int32_t> all(static_cast<std::size_t>(size));
    std::iota(all.begin(), all.end(), 0);
    std::shuffle(all.begin(), all.end(), engine_);
    return all;
  }
  std::mt19937& engine() { return engine_; }

 private:
  std::mt19937 engine_;
};

}  // namespace marshal
