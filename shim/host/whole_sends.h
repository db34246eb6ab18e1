// Messages of derived datatypes that MPICH sends over TCP. UCX copies what it gets in fragments from a generic datatype
// once more, while it sends bytes from where they stand. So the engine packs such a message whole, and UCX sends its
// bytes: twice as fast from 32 KiB on, whoever unpacks at the other side. In shared memory that would be slower.
//
// The other process must run under Marshal: MPICH 4.0 takes no bytes that are cut inside an element of its datatype
// (cut_receives.h). Thread safe, as UCX's functions are.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "host/host_hooks.h"
#include "host/ucx_datatype.h"

namespace marshal::whole_sends {

// The beginning of ucp_request_param_t, as UCX documents it since 1.9. It has grown at its end since.
struct SendParameters {
  std::uint32_t mask, flags;  // mask: which of the others count
  void* request;
  void* callback;
  std::uint64_t datatype;
  void* user_data;
};

// In MPI_Init, where all processes of the job run under Marshal and none else is known to this one.
void begin();

namespace detail {
inline std::atomic<bool> on{false};
inline constexpr std::uint32_t with_datatype = 1U << 3;
}  // namespace detail

// Whether this process sends over TCP at all.
inline bool are_on() { return detail::on.load(std::memory_order_relaxed); }

// Every message of MPICH comes by here.
[[gnu::always_inline]] inline bool may_pack(const void* parameters) {
  const auto& given = *static_cast<const SendParameters*>(parameters);
  return are_on() && (given.mask & detail::with_datatype) != 0 && ucx::is_generic(given.datatype);
}

// In the place of ucp_tag_send_nbx, and of ucp_tag_send_sync_nbx, if `synchronous`; `next` is the library's own.
void* send(SendTagged* next, void* endpoint, const void* user, std::size_t count, std::uint64_t tag,
           const void* parameters, bool synchronous);

}  // namespace marshal::whole_sends
