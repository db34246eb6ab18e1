// Estimates the time that the engine saves on one side of a message, to tell whether reading a type pays. The times of
// blocks and bytes were measured on an EPYC, the time of short messages on an Intel Xeon (`marshal bench messages
// --calls ping-pong --only vector --sizes 256,1024,4096,8192,12288,16384`).
#pragma once

#include <algorithm>
#include <cstdint>

namespace marshal {

class MessageSavings {
 public:
  // `mean_block`: bytes of a block on average; 0 where that is not known. `short_are_alike`: every message that travels
  // in one piece saves the same little, since the host packs it nearly as fast, as MPICH does. Without that, the time
  // saved grows with the bytes.
  constexpr MessageSavings(std::int64_t mean_block, bool short_are_alike)
      : ns_of_a_kib_(mean_block <= 0 ? ns_of_any_kib : std::max(ns_of_any_kib, 1024 * ns_of_a_block / mean_block)),
        short_up_to_(short_are_alike ? longest_piece : 0) {}

  // Where messages of the layout were timed on both sides: the difference, of 1024 bytes. Not negative.
  static constexpr MessageSavings measured(std::int64_t ns_of_a_kib) {
    MessageSavings savings(0, false);
    savings.ns_of_a_kib_ = std::max<std::int64_t>(ns_of_a_kib, 0);
    return savings;
  }

  // For a whole message. Without `short_are_alike` also for a part of one.
  constexpr std::int64_t ns_of(std::int64_t bytes) const {
    return bytes <= short_up_to_ ? ns_of_a_short_one : bytes / 1024 * ns_of_a_kib_ + bytes % 1024 * ns_of_a_kib_ / 1024;
  }

 private:
  static constexpr std::int64_t ns_of_any_kib = 256, ns_of_a_block = 3;
  static constexpr std::int64_t longest_piece = 8192, ns_of_a_short_one = 64;

  std::int64_t ns_of_a_kib_, short_up_to_;
};

}  // namespace marshal
