// Tries whether the host takes packed messages at its calls as the standard says.
#pragma once

namespace marshal::calls {

// In MPI_Init: sends messages to this process itself, on a communicator of Marshal's own, packed on one side and of a
// datatype on the other. Null where they came out right; else why not. Local. Errors reach no handler of the program.
const char* try_out();

}  // namespace marshal::calls
