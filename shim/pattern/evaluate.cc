#include "pattern/evaluate.h"

#include <algorithm>

namespace marshal {

void evaluate(const StridedBlocks& sequence, std::int32_t first, std::span<std::int32_t> out) {
  const auto lowest = sequence.digit(0);
  const auto stride = static_cast<std::uint32_t>(lowest.stride);
  const auto round = static_cast<std::size_t>(std::max(lowest.count, 1));
  const bool linear = sequence.is_linear();
  auto within = linear ? 0 : static_cast<std::size_t>(first) % round;
  for (std::size_t done = 0; done < out.size();) {
    const std::size_t run = linear ? out.size() : std::min(out.size() - done, round - within);
    const auto start = static_cast<std::uint32_t>(sequence(first + static_cast<std::int32_t>(done)));
    std::int32_t* const to = out.data() + done;
    for (std::size_t i = 0; i < run; ++i)
      to[i] = static_cast<std::int32_t>(start + static_cast<std::uint32_t>(i) * stride);
    done += run;
    within = 0;
  }
}

}  // namespace marshal
