#include "times/sampling.h"

#include <algorithm>
#include <bit>

namespace marshal {

Sampling::Alike& Sampling::find(std::uint32_t key, std::int64_t elements) noexcept {
  if (elements > few_elements)
    key += static_cast<std::uint32_t>(std::bit_width(static_cast<std::uint64_t>(elements))) * 0x85EBCA6BU;
  Alike& first = places_[0][number_of(key)];
  if (first.key == key) return first;
  Alike& second = places_[1][number_of(key)];
  if (second.key == key) return second;
  second = first;
  first = {.key = key};
  return first;
}

void Sampling::begin_block(Alike& calls, std::uint32_t length) noexcept {
  drawn_ = drawn_ * 6364136223846793005U + 1442695040888963407U;
  const auto place = static_cast<std::uint32_t>(drawn_ >> 58) & (length - 1);
  calls.before = static_cast<std::int32_t>(calls.behind + place);
  calls.behind = static_cast<std::uint8_t>(length - 1 - place);
  calls.weight = static_cast<std::uint8_t>(length);
}

std::uint32_t Sampling::timed(Alike& calls, Ticks took, Ticks now, Ticks reading) noexcept {
  const std::uint32_t weight = calls.weight;
  const Ticks passed = last_ == 0 ? 0 : ticks_between(last_, now);
  last_ = now;
  const Ticks paid = std::max(weight * took, passed / 4) >> std::bit_width(reading);
  calls.credit -= std::min(calls.credit, price);
  calls.credit += static_cast<std::uint32_t>(std::min<Ticks>(paid, most_credit - calls.credit));
  begin_block(calls, longest_block >> std::min(6, static_cast<int>(std::bit_width(calls.credit / price))));
  return weight;
}

}  // namespace marshal
