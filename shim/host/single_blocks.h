// Messages of one block on MPICH. MPICH calls a datatype contiguous if any number of instances is, so it sends a plane
// of a grid, say, in fragments like all that has gaps, though the message is one instance without any. UCX gets such a
// message as bytes that stay where they are: in shared memory one copy in place of two, less than half of the time from
// 16 KiB on.
//
// Whoever receives bytes by another datatype must be under Marshal: MPICH 4.0 takes no bytes that are cut inside an
// element (cut_receives.h). Thread safe, as UCX's functions are.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/generic_operations.h"
#include "host/host_hooks.h"
#include "host/ucx_parameters.h"

namespace marshal::single_blocks {

// In MPI_Init, where all processes of the job run under Marshal: from then on they are sent as bytes. They are received
// so in any case.
void begin();

// The type of a message of a generic datatype, if the message is one block; else null. Every such message comes by
// here.
[[gnu::always_inline]] inline const generic_types::Bound* type_of(const ucx::Parameters& given, std::size_t count) {
  const generic_types::Bound* const type = generic_types::bound(&ucx::record_of_generic(given.datatype));
  return type != nullptr && type->block_bytes != 0 && count == 1 ? type : nullptr;
}

// A message of such a type, in the place of ucp_tag_send_nbx, and of ucp_tag_send_sync_nbx, if `synchronous`; `next` is
// the library's own. False if it is to be sent otherwise: then nothing is done.
bool send(const generic_types::Bound& type, SendTagged* next, void* endpoint, const void* user, std::uint64_t tag,
          const ucx::Parameters& given, bool synchronous, void*& returned);

// In the place of ucp_tag_recv_nbx.
void* receive(const generic_types::Bound& type, ReceiveTagged* next, void* worker, void* user, std::uint64_t tag,
              std::uint64_t tag_mask, const ucx::Parameters& given);

}  // namespace marshal::single_blocks
