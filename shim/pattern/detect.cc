#include "pattern/detect.h"

#include <array>

#include "pattern/first_mismatch.h"

namespace marshal {
namespace {

template <class Sequence>
std::optional<Sequence> detect_digits(std::span<const std::int32_t> values) {
  const auto size = static_cast<std::int32_t>(values.size());
  if (size == 0) return Sequence{};
  std::array<typename Sequence::Digit, Sequence::places> digits{};
  std::size_t used = 0;
  // Invariant: the first `reached` values follow the digits found, the last of which is still open; they repeat in
  // blocks of `block`.
  std::size_t block = 1;
  std::size_t reached = 1;
  while (reached < values.size()) {
    if (reached % block != 0 || used == digits.size()) return std::nullopt;
    if (used > 0) digits[used - 1].count = static_cast<std::int32_t>(reached / block);
    block = reached;
    const auto stride =
        static_cast<std::int32_t>(static_cast<std::uint32_t>(values[block]) - static_cast<std::uint32_t>(values[0]));
    digits[used++] = {size, stride};
    reached = first_mismatch(values, block, block, stride);
  }
  return Sequence::from_digits(values[0], {digits.data(), used}, size);
}

}  // namespace

std::optional<StridedBlocks> detect(std::span<const std::int32_t> values) {
  return detect_digits<StridedBlocks>(values);
}

std::optional<DeepStridedBlocks> detect_deep(std::span<const std::int32_t> values) {
  return detect_digits<DeepStridedBlocks>(values);
}

}  // namespace marshal
