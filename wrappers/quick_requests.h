// MPI_Request_free: nothing but passing on in a program without persistent sends.
#pragma once

#include "host/persistent_sends.h"
#include "wrappers/host_call.h"

namespace marshal::action {

[[gnu::always_inline]] inline Quickly quick_request_free(MPI_Request* request) noexcept {
  if (any_persistent_sends() && request != nullptr) forget_persistent_send(*request);
  return Quickly::passed_on;
}

}  // namespace marshal::action
