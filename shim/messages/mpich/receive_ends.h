// The ends of receives that Marshal's functions unpack. A fragment may end inside an element of the datatype, a message
// must not: MPICH then says "message truncated". UCX does not tell an unpacking function which fragment is the last
// one. The last fragment is known only when UCX ends the receive, and then the unpacking function can no longer refuse
// it. Right after that UCX calls a callback of MPICH's on the same thread. Marshal's own callback stands in front of
// it. (With UCX's own choice UCX_PROTO_ENABLE=y and memory mapped by XPMEM something may come between: then the message
// is accepted.)
//
// Thread safe. No MPI.
#pragma once

#include <cstddef>

#include "host/host_hooks.h"
#include "messages/mpich/ucx_parameters.h"

namespace marshal::receive_ends {

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

}  // namespace marshal::receive_ends
