#include "record/arrival_samples.h"

#include <algorithm>
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
  const std::size_t before = bytes.size();
  bytes.resize(before + sizeof most_call_ + samples_.size() * sizeof(ArrivalSample));
  std::memcpy(bytes.data() + before, &most_call_, sizeof most_call_);
  if (!samples_.empty())
    std::memcpy(bytes.data() + before + sizeof most_call_, samples_.data(), samples_.size() * sizeof(ArrivalSample));
}

ArrivalSamples ArrivalSamples::from(std::span<const std::uint8_t> bytes) {
  ArrivalSamples read;
  if (bytes.size() < sizeof read.most_call_) return read;
  std::memcpy(&read.most_call_, bytes.data(), sizeof read.most_call_);
  bytes = bytes.subspan(sizeof read.most_call_);
  read.samples_.resize(bytes.size() / sizeof(ArrivalSample));
  if (!read.samples_.empty())
    std::memcpy(read.samples_.data(), bytes.data(), read.samples_.size() * sizeof(ArrivalSample));
  return read;
}

}  // namespace marshal::report
