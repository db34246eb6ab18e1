#include "record/allocation_samples.h"

#include <algorithm>

namespace marshal::report {

void LeastAllocations::add(const AllocationKind& kind, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  Least& least = least_[kind];
  least.bytes = least.samples == 0 ? bytes : std::min(least.bytes, bytes);
  ++least.samples;
}

LeastAllocations::Least LeastAllocations::of(const AllocationKind& kind) const {
  const std::lock_guard lock(mutex_);
  const auto found = least_.find(kind);
  return found == least_.end() ? Least{} : found->second;
}

void AllocationSamples::add(const AllocationKind& kind, std::uint64_t bytes) { samples_.push_back({kind, bytes}); }

AllocationSamples::Split AllocationSamples::split(const LeastAllocations& least) const {
  Split split;
  for (const Sample& sample : samples_) {
    const LeastAllocations::Least of_kind = least.of(sample.kind);
    split.own += static_cast<double>(of_kind.bytes);
    split.in_passing += sample.bytes - std::min(sample.bytes, of_kind.bytes);
    split.at_most |= of_kind.samples == 1;
  }
  if (!samples_.empty()) split.own /= static_cast<double>(samples_.size());
  return split;
}

}  // namespace marshal::report
