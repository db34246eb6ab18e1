// Decides whether a message may go in bytes. Some programs wrongly rely on eager sends. Hosts may keep back bytes until
// the receiver is there where they would not keep back the same message of a datatype. So a message goes in bytes only
// where these are known to go at once, or where a datatype is known to be kept back, too. No MPI.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>

#include "messages/mpich/rendezvous_sends.h"

namespace marshal::calls {

enum class SendAs : unsigned char {
  bytes,
  watched_type,  // by the host, and note() learns whether it was kept back
  watched_bytes  // the same of bytes, where the program must not wait for them
};

// The limits learned of the sends to one kind of peers. Thread safe.
class SendLimits {
 public:
  SendAs choose(std::int64_t bytes) {
    const std::lock_guard lock(mutex_);
    if (bytes >= types_.from() || bytes <= bytes_.gone_up_to()) return SendAs::bytes;
    const bool bytes_may_wait = bytes >= bytes_.from() || abandoned_ >= most_abandoned || bytes > longest_abandoned;
    return bytes_may_wait || bytes > types_.gone_up_to() ? SendAs::watched_type : SendAs::watched_bytes;
  }

  // `kept_back`: the message had not gone when it was tested right after its send.
  void note(SendAs sent, std::int64_t bytes, bool kept_back, RendezvousSizes::Time now) {
    const std::lock_guard lock(mutex_);
    (sent == SendAs::watched_type ? types_ : bytes_).note(bytes, kept_back, now);
    if (sent == SendAs::watched_bytes && kept_back) ++abandoned_;
  }

 private:
  // Watched bytes that were kept back have their memory until the process ends.
  static constexpr int most_abandoned = 16;
  static constexpr std::int64_t longest_abandoned = 256 * 1024;

  std::mutex mutex_;
  RendezvousSizes types_, bytes_;
  int abandoned_ = 0;
};

}  // namespace marshal::calls
