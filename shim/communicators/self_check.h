// MARSHAL_SELF_CHECK: every new map is compared with the host's own translation. For Marshal's tests.
#pragma once

#include <mpi.h>

#include "communicators/communicator.h"
#include "rankmap/rank_map.h"

namespace marshal {

bool checks_itself();

// Ends the job with one line when a rank of `communicator` is another process than the host says. `call` is what made
// it.
void check_map(const char* call, MPI_Comm handle, const Communicator& communicator);
void check_group(const char* call, MPI_Group handle, const RankMap& map);

}  // namespace marshal
