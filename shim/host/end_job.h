// The end of a job in which Marshal cannot go on.
#pragma once

#include <mpi.h>

namespace marshal {

// After an error line: ends all processes of `everybody` with this exit status. It waits a moment first, as MPICH's
// launcher throws away what it has not read yet when a rank asks it to abort.
[[noreturn]] void end_job(MPI_Comm everybody, int status);

}  // namespace marshal
