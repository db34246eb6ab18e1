// Learns up to which length the host sends bytes without waiting for the receiver. Up to there packed messages go as
// bytes, which cost less than a datatype of two blocks (carrier.h). No MPI.
#pragma once

#include <cstdint>

#include "base/relaxed.h"

namespace marshal::calls {

// Of the sends to one kind of peers. Thread safe.
class EagerBytes {
 public:
  enum class Way : unsigned char {
    bytes,
    watched_bytes,  // note() is to learn whether they have gone at once. The program must not wait for them
    two_blocks
  };

  Way choose(std::int64_t bytes) const {
    if (bytes <= gone_up_to_) return Way::bytes;
    const bool may_go = bytes <= longest_watched && bytes < kept_back_from_ && times_kept_back_ < most_kept_back;
    return may_go ? Way::watched_bytes : Way::two_blocks;
  }

  // `has_gone`: when it was tested right after its send.
  void note(std::int64_t bytes, bool has_gone) {
    if (has_gone && bytes > gone_up_to_) gone_up_to_ = bytes;
    if (has_gone) return;
    if (bytes < kept_back_from_) kept_back_from_ = bytes;
    times_kept_back_ += 1;
  }

 private:
  // Watched bytes that were kept back have their memory until they have gone.
  static constexpr std::int64_t longest_watched = 16 * 1024;
  static constexpr int most_kept_back = 8;

  Relaxed<std::int64_t> gone_up_to_{0}, kept_back_from_{longest_watched + 1};
  Relaxed<int> times_kept_back_{0};
};

}  // namespace marshal::calls
