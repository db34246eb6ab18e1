// Receives that MPICH's own function unpacks, with a fragment that ends inside an element of the datatype. A sender
// without gaps sends such fragments. MPICH unpacks the whole elements and refuses the rest, as "message truncated" (its
// pull request 6796). So from such a fragment on the bytes are kept, and unpacked once all are there. Then MPICH's
// answer for the whole message holds.
//
// Thread safe for different messages; the fragments of one come one after the other.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "host/host_hooks.h"

namespace marshal {

class CutReceives {
 public:
  // MPICH's function; `state` is the message's.
  using Unpack = UcsStatus (*)(void* state, std::size_t offset, const void* packed, std::size_t bytes);

  // Unpacks the fragment at packed byte `offset`, or keeps it, of a message of at most `size` packed bytes. The result
  // is for UCX. Without memory to keep the fragment, it is MPICH's own answer.
  UcsStatus unpack(Unpack host, void* state, std::size_t offset, const void* packed, std::size_t bytes,
                   std::size_t size) noexcept;

  // No more fragments come: unpacks what is kept of a message that was shorter than its receive. If MPICH refuses that,
  // how many bytes the message has, else 0.
  std::size_t finish(Unpack host, void* state) noexcept;

 private:
  struct Kept {
    std::size_t from;
    std::vector<std::byte> bytes;
  };
  Kept* find(void* state);
  void forget(void* state);

  std::atomic<std::size_t> count_{0};
  std::mutex mutex_;
  std::unordered_map<void*, Kept> kept_;
};

}  // namespace marshal
