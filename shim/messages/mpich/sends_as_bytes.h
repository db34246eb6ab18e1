// Messages of derived datatypes that MPICH sends over TCP. UCX copies what it gets in fragments from a generic datatype
// once more, while it sends bytes from where they stand. So the engine packs such a message whole, a single block stays
// where it is, and UCX sends bytes. From 32 KiB on this is twice as fast, whether the engine or the host unpacks at the
// other side. In shared memory it would be slower.
//
// The other process must run under Marshal: MPICH 4.0 takes no bytes that are cut inside an element of its datatype
// (cut_receives.h). Thread safe, as UCX's functions are.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "host/host_hooks.h"
#include "messages/mpich/ucx_datatype.h"

namespace marshal::sends_as_bytes {

// In MPI_Init, where the engine is on in all processes of the job and none else is known to this one.
void begin();

namespace detail {
inline std::atomic<bool> on{false};
}

// True if some process of the job sends over TCP.
inline bool are_on() { return detail::on.load(std::memory_order_relaxed); }

// A message of a generic datatype, in the place of ucp_tag_send_nbx, and of ucp_tag_send_sync_nbx, if `synchronous`;
// `next` is the library's own.
void* send(SendTagged* next, void* endpoint, const void* user, std::size_t count, std::uint64_t tag,
           const ucx::Parameters& given, bool synchronous);

}  // namespace marshal::sends_as_bytes
