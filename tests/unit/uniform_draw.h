// Random whole numbers of a property test.
#pragma once

#include <cstdint>
#include <random>

namespace marshal {

class UniformDraw {
 public:
  explicit UniformDraw(unsigned seed) : engine_(seed) {}

  // From `least` to `most`, both included.
  std::int32_t operator()(std::int32_t least, std::int32_t most) {
    return std::uniform_int_distribution<std::int32_t>(least, most)(engine_);
  }
  std::mt19937& engine() { return engine_; }

 private:
  std::mt19937 engine_;
};

}  // namespace marshal
