// MPI_Request_free.
#pragma once

#include "base/always_inline.h"
#include "communicators/persistent_requests.h"
#include "copies/extended_requests.h"
#include "wrappers/entry/host_call.h"
#include "wrappers/entry/kept_blocks.h"
#include "wrappers/entry/program_requests.h"

namespace marshal::action {

MARSHAL_ALWAYS_INLINE inline void note_freed_request(const MPI_Request* request) noexcept {
  if (request == nullptr || *request == null_request()) return;
  ExtendedRequest::leave(*request);
  if (any_kept_blocks) [[unlikely]]
    free_block_of(*request);
  if (!any_persistent_requests() || !forget_persistent_request(*request)) count(Tally::requests_ended);
}

MARSHAL_ALWAYS_INLINE inline Quickly quick_request_free(MPI_Request* request) noexcept {
  note_freed_request(request);
  return Quickly::passed_on_inside;  // generalized requests have free functions
}

}  // namespace marshal::action
