// What the host allocated while it made communicators: the part that belongs to a communicator, and the part that does
// not.
//
// A host makes buffers at first need and keeps them for good: whichever call meets that need first shows them in the
// growth of the heap. Of calls that make communicators alike, the least growth is therefore the communicator's own, and
// what the others grew more is the host's. A kind that was measured once tells only that its own bytes are at most so
// many.
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
    std::uint64_t in_passing = 0;  // bytes of all samples that were no communicator's
    bool at_most = false;          // some kind was measured once only: `own` may hold buffers of the host
  };
  // Of one sample and more.
  Split split(const LeastAllocations& least) const;

 private:
  struct Sample {
    AllocationKind kind;
    std::uint64_t bytes;
  };
  std::vector<Sample> samples_;
};

}  // namespace marshal::report
