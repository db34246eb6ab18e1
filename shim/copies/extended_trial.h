// The trial of extended requests (extended_requests.h): they do on this host what Marshal takes from them, or not.
#pragma once

#include <mpi.h>

namespace marshal {

// Sends messages to this process itself. `self`: a communicator of Marshal's own, whose errors return. Local. False,
// too, where memory is short.
bool extended_requests_work(MPI_Comm self);

}  // namespace marshal
