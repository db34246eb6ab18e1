// Finds the pattern of a new communicator's lpids in constant memory, when each process knows only its own.
//
// Every process tests the candidate on its own (rank, lpid). One MPI_Allreduce with MPI_MINLOC tells all of them the
// first rank that differs and its lpid, which give the next digit. The ranks of a process group in order take one
// reduction, any other linear map takes two. Each further digit takes one more, and so does finding that there is no
// pattern. All processes come to the same result.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "pattern/strided_sequence.h"

namespace marshal {

class CollectiveDetection {
 public:
  // As MPI_2INT: MPI_MINLOC keeps the smallest rank, and its lpid.
  struct Pair {
    std::int32_t rank;
    std::int32_t lpid;
  };
  using Round = std::array<Pair, 3>;

  // The caller's own rank and lpid in a communicator of `size` processes of one process group.
  CollectiveDetection(std::int32_t size, std::int32_t rank, std::int32_t lpid);

  // While not done: reduce contribution() over all processes, and pass what comes out to learn().
  bool done() const { return done_; }
  Round contribution() const;
  void learn(const Round& reduced);

  // Once done: the pattern, or nothing if it takes more than three digits.
  const std::optional<StridedBlocks>& result() const { return result_; }

 private:
  static constexpr std::int32_t nobody = std::numeric_limits<std::int32_t>::max();

  void finish(std::optional<StridedBlocks> result);

  std::int32_t size_, rank_, lpid_;
  StridedBlocks candidate_;
  std::array<StridedBlocks::Digit, StridedBlocks::places> digits_{};
  std::size_t used_ = 0;
  std::int32_t block_ = 1;
  bool first_round_ = true;
  bool done_ = false;
  std::optional<StridedBlocks> result_;
};

// `reduce` turns a round's contribution into the minimum over all processes, and says whether it could.
template <class Reduce>
std::optional<StridedBlocks> detect_collectively(std::int32_t size, std::int32_t rank, std::int32_t lpid,
                                                 Reduce reduce) {
  CollectiveDetection detection(size, rank, lpid);
  while (!detection.done()) {
    CollectiveDetection::Round round = detection.contribution();
    if (!reduce(round)) return std::nullopt;
    detection.learn(round);
  }
  return detection.result();
}

}  // namespace marshal
