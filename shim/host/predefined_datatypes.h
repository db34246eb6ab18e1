// The host's predefined datatypes.
#pragma once

#include <mpi.h>

#include <vector>

namespace marshal {

// Those that the host has, after meet_host(), in no order; none twice. With a standard ABI only a few: its mpi.h here
// declares no more.
std::vector<MPI_Datatype> predefined_datatypes();

}  // namespace marshal
