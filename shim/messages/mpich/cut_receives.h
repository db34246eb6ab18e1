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
#include "messages/mpich/ucx_datatype.h"

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

// The ends of receives that Marshal's functions unpack. A fragment may end inside an element of the datatype, a message
// must not: MPICH then says "message truncated". UCX does not tell an unpacking function which fragment is the last
// one. The last fragment is known only when UCX ends the receive, and then the unpacking function can no longer refuse
// it. Right after that UCX calls a callback of MPICH's on the same thread. Marshal's own callback stands in front of
// it. (With UCX's own choice UCX_PROTO_ENABLE=y and memory mapped by XPMEM something may come between: then the message
// is accepted.)
//
// Thread safe. No MPI.
namespace receive_ends {

// The callback that UCX must call in the place of this one; `callback` itself if there is no room for one more.
UcxReceiveCallback* in_front_of(UcxReceiveCallback* callback);

// The parameters of a receive, with another callback if it has one.
class Watched {
 public:
  explicit Watched(const ucx::Parameters& given);
  const ucx::Parameters& parameters() const { return given_ != nullptr ? *given_ : own_; }

 private:
  const ucx::Parameters* given_ = nullptr;  // where they stay as they are
  ucx::Parameters own_{};
};

namespace detail {
// Bytes of the message that this thread ended last, if the host refuses it.
inline thread_local constinit std::size_t refused [[gnu::tls_model("initial-exec")]] = 0;
}  // namespace detail

// The receive that ends now on this thread, after so many bytes, is one that the host refuses.
inline void refuse(std::size_t bytes) { detail::refused = bytes; }
// A receive goes on on this thread.
inline void go_on() { detail::refused = 0; }

}  // namespace receive_ends
}  // namespace marshal
