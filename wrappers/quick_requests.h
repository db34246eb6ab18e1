// MPI_Request_free: nothing but passing on in a program without persistent requests that count.
#pragma once

#include "base/always_inline.h"
#include "communicators/persistent_requests.h"
#include "wrappers/host_call.h"

namespace marshal::action {

MARSHAL_ALWAYS_INLINE inline Quickly quick_request_free(MPI_Request* request) noexcept {
  if (any_persistent_requests() && request != nullptr) forget_persistent_request(*request);
  return Quickly::passed_on_inside;  // generalized requests have free functions
}

}  // namespace marshal::action
