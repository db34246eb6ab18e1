// Requests of Marshal's own that the program freed before they had ended (extended_requests.h). Calls of the program
// finish them, as they do on the bare host.
#pragma once

#include "base/relaxed.h"

namespace marshal {

class ExtendedState;

// True if there are some.
inline constinit Relaxed<bool> any_left_requests;

// Finishes those that have ended. Where very many have not, it asks for some of them in each call, all in turn. Outside
// of the host. Thread safe.
void finish_left_requests() noexcept;

// Takes one over, whose owner the list is.
void add_left_request(ExtendedState& state) noexcept;
// In MPI_Finalize: those that have not ended are the host's.
void end_left_requests() noexcept;

}  // namespace marshal
