// The send of a packed buffer that waits where the host's own send of the datatype would wait, and nowhere else.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "calls/packed_buffer.h"
#include "calls/send_limits.h"

namespace marshal::calls {

struct Destination {
  int rank, tag;
  MPI_Comm communicator;
};

// The limits learned of the sends to the peers of this process's node, or to all others.
SendLimits& limits_of(const Destination& to);

// MPI_Send of the buffer, which is packed only where it may go in bytes. Returns the host's code.
int send(PackedBuffer& packed, const ProgramBuffer& buffer, const Destination& to);

// The same, on its way; is_over: without a request. Only if the limits say that it is to be watched.
int send_watched(SendAs as, PackedBuffer& packed, const ProgramBuffer& buffer, const Destination& to,
                 MPI_Request& request);

}  // namespace marshal::calls
