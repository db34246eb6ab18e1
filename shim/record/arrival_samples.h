// Samples of collective calls, from which judge_arrivals() tells who came last (arrivals.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace marshal::report {

// One process in one call.
struct ArrivalSample {
  // The same in all processes of the call, and spread evenly. Less than `first_call`: a meeting of Marshal's own, in
  // MPI_Init.
  std::uint64_t call = 0;
  std::uint64_t place = 0;              // hash_of(PlaceKey)
  std::uint64_t before = 0;             // the same of the timed call before it; 0: not known
  std::uint64_t entered = 0, left = 0;  // ticks of the node's clock
  double ns_a_tick = 0;
  std::uint32_t rank = 0, node = 0;
  std::uint32_t processes = 0;  // of the call
  std::uint32_t halvings = 0;   // it stands for 2^halvings calls of its communicator

  static constexpr std::uint64_t first_meeting = 1, first_call = std::uint64_t{1} << 32;
  bool operator==(const ArrivalSample&) const = default;
};

// A bounded set of samples. merge() is associative and commutative: of a call, all processes stay or none.
class ArrivalSamples {
 public:
  static constexpr std::size_t most = std::size_t{1} << 17;  // 8 MiB

  ArrivalSamples() = default;
  explicit ArrivalSamples(std::vector<ArrivalSample> samples, std::uint64_t most_call = UINT64_MAX);
  void merge(const ArrivalSamples& other);
  const std::vector<ArrivalSample>& all() const { return samples_; }

  // For a process of the same program, which takes them off the end. Where they are damaged, what remains is, too.
  void append_to(std::vector<std::uint8_t>& bytes) const;
  static ArrivalSamples taken_from(std::span<const std::uint8_t>& bytes);
  bool operator==(const ArrivalSamples&) const = default;

 private:
  std::uint64_t most_call_ = UINT64_MAX;  // those with a greater `call` are left out
  std::vector<ArrivalSample> samples_;    // sorted
};

}  // namespace marshal::report
