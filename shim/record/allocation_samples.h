// The bytes that the host allocated while it made communicators, divided into the communicator's own and the rest.
//
// A host makes buffers when it first needs them, and keeps them: the heap grows by them in the call that needs them
// first. So among calls that make equal communicators, the least growth is the communicator's own, and the excess of
// the others is the host's. A kind that was measured only once gives an upper limit for its own bytes.
#pragma once

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
  void add(const AllocationKind& kind, std::uint64_t bytes);
  Least of(const AllocationKind& kind) const;

 private:
  mutable std::mutex mutex_;
  std::map<AllocationKind, Least> least_;
};

// The samples of one place. Not thread safe.
class AllocationSamples {
 public:
  void add(const AllocationKind& kind, std::uint64_t bytes);
  std::size_t count() const { return samples_.size(); }

  struct Split {
    double own = 0;                // bytes of one communicator, the mean of those measured
    std::uint64_t in_passing = 0;  // bytes of all samples beyond the communicators' own
    bool at_most = false;          // some kind was measured once only: `own` may hold buffers of the host
  };
  // Call it for one sample or more.
  Split split(const LeastAllocations& least) const;

 private:
  struct Sample {
    AllocationKind kind;
    std::uint64_t bytes;
  };
  std::vector<Sample> samples_;
};

}  // namespace marshal::report
