// The ranks that a neighbourhood collective on a communicator sends to, in the order of its send blocks.
#pragma once

#include <mpi.h>

#include <vector>

#include "traffic/thread_counts.h"

namespace marshal {

// A block without receiver: over the edge of a grid that is not periodic.
inline constexpr PeerName no_neighbour = INT32_MAX;

// Null where the communicator has no topology that the host tells of, or the host is not to be asked. Asked for once a
// communicator; valid until that is freed. Local; thread safe.
const std::vector<PeerName>* topology_neighbours(MPI_Comm communicator);

}  // namespace marshal
