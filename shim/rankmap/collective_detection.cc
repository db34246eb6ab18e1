#include "rankmap/collective_detection.h"

namespace marshal {

CollectiveDetection::CollectiveDetection(std::int32_t size, std::int32_t rank, std::int32_t lpid)
    : size_(size), rank_(rank), lpid_(lpid), candidate_(StridedBlocks::linear(0, 1, size)) {}

// The first process that contradicts the candidate; in the first round also ranks 0 and 1, whose lpids make the first
// candidate of two unknowns.
CollectiveDetection::Round CollectiveDetection::contribution() const {
  Round round;
  round.fill({nobody, 0});
  if (candidate_(rank_) != lpid_) round[0] = {rank_, lpid_};
  if (first_round_ && rank_ < 2) round[static_cast<std::size_t>(rank_) + 1] = {rank_, lpid_};
  return round;
}

void CollectiveDetection::learn(const Round& reduced) {
  const Pair mismatch = reduced[0];
  if (mismatch.rank == nobody) return finish(candidate_);
  if (first_round_) {
    first_round_ = false;
    const std::int32_t offset = reduced[1].lpid;
    if (size_ == 1) return finish(StridedBlocks::linear(offset, 1, 1));
    digits_[used_++] = {size_, reduced[2].lpid - offset};
    candidate_ = StridedBlocks::linear(offset, digits_[0].stride, size_);
    return;
  }
  if (mismatch.rank % block_ != 0 || used_ == digits_.size()) return finish(std::nullopt);
  digits_[used_ - 1].count = mismatch.rank / block_;
  block_ = mismatch.rank;
  digits_[used_++] = {size_, mismatch.lpid - candidate_.offset()};
  const auto next = StridedBlocks::from_digits(candidate_.offset(), {digits_.data(), used_}, size_);
  if (!next) return finish(std::nullopt);
  candidate_ = *next;
}

void CollectiveDetection::finish(std::optional<StridedBlocks> result) {
  result_ = result;
  done_ = true;
}

}  // namespace marshal
