// The bytes that the host allocated while it made communicators, divided into the communicator's own and the rest.
//
// A host makes buffers when it first needs them, and keeps them: the heap grows by them in the call that needs them
// first. So among calls that make equal communicators, the least growth is the communicator's own, and the excess of
// the others is the host's. A kind that was measured only once gives an upper limit for its own bytes.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

namespace marshal::report {

// Communicators that should take the same bytes.
struct AllocationKind {
  std::string_view call;  // a literal
  std::int32_t size = 0, remote_size = 0;
  auto operator<=>(const AllocationKind&) const = default;
};

// The least growth of each kind, over all places of the program. Thread safe.
class LeastAllocations {
 public:
  struct Least {
    std::uint64_t bytes = 0, samples = 0;
  };
  void add(const AllocationKind& kind, std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    Least& least = least_[kind];
    least.bytes = least.samples == 0 ? bytes : std::min(least.bytes, bytes);
    ++least.samples;
  }
  Least of(const AllocationKind& kind) const {
    const std::lock_guard lock(mutex_);
    const auto found = least_.find(kind);
    return found == least_.end() ? Least{} : found->second;
  }

 private:
  mutable std::mutex mutex_;
  std::map<AllocationKind, Least> least_;
};

// The samples of one place. Not thread safe.
class AllocationSamples {
 public:
  void add(const AllocationKind& kind, std::uint64_t bytes) { samples_.push_back({kind, bytes}); }
  std::size_t count() const { return samples_.size(); }

  struct Split {
    double own = 0;                // bytes of one communicator, the mean of those measured
    std::uint64_t in_passing = 0;  // bytes of all samples beyond the communicators' own
    bool at_most = false;          // some kind was measured once only: `own` may hold buffers of the host
  };
  // Call it for one sample or more.
  Split split(const LeastAllocations& least) const {
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

 private:
  struct Sample {
    AllocationKind kind;
    std::uint64_t bytes;
  };
  std::vector<Sample> samples_;
};

}  // namespace marshal::report
