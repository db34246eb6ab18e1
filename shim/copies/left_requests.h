// Requests of Marshal's own that the program freed before they had ended (extended_requests.h). Calls of the program
// finish them, as they do on the bare host.
#pragma once

#include "base/relaxed.h"

namespace marshal {

// True if there are some.
inline constinit Relaxed<bool> any_left_requests;

// Finishes those that have ended. Outside of the host. Thread safe.
void finish_left_requests() noexcept;

}  // namespace marshal
