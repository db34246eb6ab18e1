// The trial of extended requests (extended_requests.h).
#pragma once

#include <mpi.h>

namespace marshal {

// In MPI_Init: sends messages to this process itself through such requests, and begins them if they come out right.
// `self`: a communicator of Marshal's own, whose errors return. Local.
void try_out_extended_requests(MPI_Comm self);

}  // namespace marshal
