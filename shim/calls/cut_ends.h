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

// The host moves the first `bytes` of the packed buffer into the program's, by a message to this process itself.
// Returns MPI's code. No error handler hears of it. Thread safe.
int deliver_by_host(const PackedBuffer& packed, std::int64_t bytes, const ProgramBuffer& buffer) noexcept;

// The communicator of a message, whose error handler is to hear of an error of that. It may have been freed meanwhile,
// and another one may have its handle: then no handler is known.
class CommunicatorOfMessage {
 public:
  // On the books.
  explicit CommunicatorOfMessage(MPI_Comm handle);
  // The handler may throw.
  void tell_handler(int error) const;

 private:
  MPI_Comm handle_;
  std::uint64_t number_;
};

}  // namespace marshal::calls
