#include "record/arrival_samples.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <tuple>
#include <utility>

namespace marshal::report {
namespace {

// In this order they stand.
auto order_of(const ArrivalSample& sample) { return std::tuple(sample.call, sample.node, sample.rank); }

}  // namespace

ArrivalSamples::ArrivalSamples(std::vector<ArrivalSample> samples, std::uint64_t most_call)
    : most_call_(most_call), samples_(std::move(samples)) {
  std::ranges::sort(samples_, {}, order_of);
}

void ArrivalSamples::merge(const ArrivalSamples& other) {
  const auto middle = samples_.insert(samples_.end(), other.samples_.begin(), other.samples_.end());
  std::ranges::inplace_merge(samples_, middle, {}, order_of);
  most_call_ = std::min(most_call_, other.most_call_);
  if (samples_.size() > most) most_call_ = std::min(most_call_, samples_[most].call - 1);
  samples_.erase(std::ranges::upper_bound(samples_, most_call_, {}, &ArrivalSample::call), samples_.end());
}

void ArrivalSamples::append_to(std::vector<std::uint8_t>& bytes) const {
  const auto append = [&](const auto& all) {
    const auto* const begin = reinterpret_cast<const std::uint8_t*>(all.data());
    bytes.insert(bytes.end(), begin, begin + all.size() * sizeof all[0]);
  };
  append(samples_);
  append(std::array{most_call_, std::uint64_t{samples_.size()}});
}

ArrivalSamples ArrivalSamples::taken_from(std::span<const std::uint8_t>& bytes) {
  ArrivalSamples taken;
  const auto take = [&](auto& all) {
    const std::size_t length = all.size() * sizeof all[0];
    if (length > bytes.size()) return false;
    if (length != 0) std::memcpy(all.data(), bytes.last(length).data(), length);
    bytes = bytes.first(bytes.size() - length);
    return true;
  };
  std::array<std::uint64_t, 2> end{};
  if (!take(end) || end[1] > bytes.size() / sizeof(ArrivalSample)) return taken;
  taken.most_call_ = end[0];
  taken.samples_.resize(end[1]);
  take(taken.samples_);
  return taken;
}

}  // namespace marshal::report
