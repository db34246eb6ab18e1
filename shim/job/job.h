// The run of the program, from MPI_Init to MPI_Finalize: Marshal's own communicator, its start, and the report at the
// end.
#pragma once

#include <mpi.h>

#include <functional>

#include "record/record.h"

namespace marshal {

// Adds facts that only the wrappers know (how often each call was made) to a record. `are_calls_over`: in MPI_Finalize
// no other thread is in a call.
using AddToRecord = std::function<void(report::Record&, bool are_calls_over)>;

namespace job {

// Before the host's MPI_Init, or its first session: the run's wall time begins here. Only the first call does anything.
void start_clock();

// After MPI_Init succeeded: everything that needs all processes, on a private duplicate of MPI_COMM_WORLD. Collective.
void begin(AddToRecord add);

// After a session was opened (MPI-4): the process group, without communication. The first time only.
void begin_session(MPI_Group world, AddToRecord add);
// After a communicator of all processes was made without MPI_Init: does the part of begin() that needs it. Collective
// over it.
void meet_all(MPI_Comm everybody);

bool begun();  // and not ended
bool ever_begun();

// Before MPI_Finalize, or the end of the last session: gathers the report and writes it on rank 0. Collective if there
// is a private duplicate; if not, each rank writes a partial report. Only the first call does anything.
void end();

// The process ends without MPI_Finalize: this rank's own record goes to a file of its own, without MPI.
void end_alone();

}  // namespace job

}  // namespace marshal
