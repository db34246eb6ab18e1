// Messages that end inside an element of the receiver's datatype. MPICH takes whole elements only, and refuses the rest
// as a message that is too long.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "calls/packed_buffer.h"

namespace marshal::calls {

// True if the host has to say what becomes of a message of so many bytes.
bool may_end_inside_element(const PackedBuffer& packed, std::int64_t bytes);

// In MPI_Init, before deliver_by_host(): a communicator of Marshal's own. False if the host makes none. In MPI_Finalize
// end_deliveries() frees it.
bool begin_deliveries();
void end_deliveries();

// The host moves the first `bytes` of the packed buffer into the program's, by a message to this process itself. If it
// refuses that, the error handler of `communicator` gets `error`. Returns MPI's code. Thread safe.
int deliver_by_host(const PackedBuffer& packed, std::int64_t bytes, const ProgramBuffer& buffer, MPI_Comm communicator,
                    int error = MPI_ERR_TRUNCATE);

}  // namespace marshal::calls
