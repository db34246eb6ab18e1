// A request of an access that is over when its call returns.
#pragma once

#include <mpi.h>

namespace marshal::files {

// `status`: what the program's wait or test gets. Returns MPI's error code, also where memory is short.
int make_done_request(const MPI_Status& status, MPI_Request* request);

}  // namespace marshal::files
