// The host's limit of communicators, learnt from the host itself.
#pragma once

#include "host/communicator_limit.h"

namespace marshal {

// In MPI_Init, where `has_world`; else only what the version tells. Local.
CommunicatorLimit learn_communicator_limit(bool has_world);

}  // namespace marshal
